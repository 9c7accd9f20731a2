import type { Session } from '../../src/core/index.js';
import { callTitleOf, escapeText, openInterrupts } from '../../src/core/index.js';
import { effectsOf, eventsOf } from '../../src/repl/index.js';
import { leftBehind } from '../../src/tools/index.js';

/**
 * Lists commands that may still be running without a recorded end, which helps to answer an in-doubt
 * question. A sandboxed command ends with its program, and without `/proc` none is found.
 */
export async function stillRunningLines(session: Session): Promise<readonly string[]> {
  const { state } = session;
  const isInDoubt =
    state.graph !== undefined ||
    state.open?.calls.some((call) => call.state.status === 'started') === true ||
    openInterrupts(state).some(({ kind }) => kind === 'in-doubt');
  if (!isInDoubt) return [];
  const unknown = effectsOf(await eventsOf(session)).filter(
    ({ tool, outcome }) => tool === 'run_command' && outcome === 'unknown',
  );
  const lines = unknown.map(async ({ tool: name, input, idempotencyKey }) => {
    const left = await leftBehind(idempotencyKey);
    if (left.length === 0) return [];
    const processes = left.map((one) => `process ${one.pid} (${escapeText(one.name)})`).join(', ');
    return [`${callTitleOf({ name, input }) ?? name} is still running: ${processes}`];
  });
  return [...new Set((await Promise.all(lines)).flat())];
}
