/**
 * The part of a `node:http` response that hitl uses. It also matches Express, Koa's `ctx.res` and Fastify's
 * `reply.raw`.
 */
export interface NodeResponse {
  statusCode: number;
  readonly destroyed: boolean;
  setHeader(name: string, value: string | readonly string[]): unknown;
  flushHeaders(): void;
  write(bytes: Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  on(event: 'close' | 'drain', listener: () => void): unknown;
}

/**
 * Sends a fetch response through `node:http` or Express: `await toNode(toResponse(events), response)`. Waits
 * for a client that reads slowly, and stops if the client disconnects.
 * @throws the error of the body; the connection is then closed, because the status has already been sent.
 */
export async function toNode({ status, headers, body }: Response, to: NodeResponse): Promise<void> {
  to.statusCode = status;
  for (const name of new Set(headers.keys()))
    to.setHeader(name, name === 'set-cookie' ? headers.getSetCookie() : (headers.get(name) ?? ''));
  to.flushHeaders();
  const reader = body?.getReader();
  let isGone = to.destroyed;
  let wake = (): void => undefined;
  to.on('drain', () => {
    wake();
  });
  to.on('close', () => {
    isGone = true;
    wake();
    reader?.cancel().catch(() => undefined); // it may be over, or broken
  });
  try {
    for (;;) {
      if (isGone) await reader?.cancel();
      const step = await reader?.read();
      if (step === undefined || step.done) break;
      if (to.write(step.value) || isGone) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } catch (thrown) {
    to.destroy();
    throw thrown;
  }
  to.end();
}
