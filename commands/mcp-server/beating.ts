import type { ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../../src/core/index.js';

/** The time between two signs that a call is alive, in milliseconds. */
const BEAT_MS = 5_000;

/** Waits for work, and gives a sign of progress meanwhile, where the client wants one: it gives up on what is silent. */
export async function beating<Value>(
  work: Promise<Value>,
  clock: Clock,
  { mcpReq }: ServerContext,
  message: string,
): Promise<Value> {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return work;
  const over = new AbortController();
  const beat = async (): Promise<void> => {
    for (let progress = 1; !over.signal.aborted; progress += 1) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress, message },
      });
      await clock.sleep(BEAT_MS, over.signal);
    }
  };
  const beats = beat().catch(() => undefined); // the client is gone, or it is over
  try {
    return await work;
  } finally {
    over.abort();
    await beats;
  }
}
