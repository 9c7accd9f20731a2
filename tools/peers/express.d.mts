import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

type Request = IncomingMessage & {
  readonly params: Readonly<Record<string, string>>;
  readonly body: { readonly text: string };
};

/** An application of Express, as far as tests need it. */
interface Application extends RequestListener {
  use(...handlers: readonly unknown[]): void;
  post(path: string, handler: (request: Request, response: ServerResponse) => unknown): void;
}

export const express: {
  (): Application;
  json(): unknown;
};
