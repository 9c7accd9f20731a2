import type { Session } from '../../src/core/index.js';
import { callTitleOf, escapeText, openInterrupts } from '../../src/core/index.js';
import { effectsOf, eventsOf } from '../../src/repl/index.js';
import { leftBehind } from '../../src/tools/index.js';

/**
 * Lists commands that have no recorded end and may still be running. The list helps the user answer a
 * question about a call in doubt. Sandboxed commands end when hitl exits. Without `/proc`, no commands can be
 * found.
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
