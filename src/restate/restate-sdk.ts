import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** The context of a call by Restate, as far as it is used. */
export interface RestateContext {
  readonly key: string;
  request(): {
    /** Aborts when Restate gives up this attempt. */
    readonly attemptCompletedSignal: AbortSignal;
  };
}

/** The service: Restate calls it for a key, once at a time. */
export interface RestateObject {
  readonly name: string;
  readonly handlers: { readonly wake: (context: RestateContext) => Promise<void> };
  readonly options: {
    readonly retryPolicy: {
      readonly initialInterval: number;
      readonly maxInterval: number;
      readonly exponentiationFactor: number;
      readonly maxAttempts: number;
      readonly onMaxAttempts: 'kill';
    };
    readonly inactivityTimeout: number;
    readonly abortTimeout: number;
  };
}

/** The package `@restatedev/restate-sdk`, as far as it is used. */
export interface RestateSdk {
  object(definition: RestateObject): unknown;
  createEndpointHandler(options: {
    readonly services: readonly unknown[];
    readonly logger: () => void;
    readonly identityKeys?: string[];
  }): (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => void;
}
