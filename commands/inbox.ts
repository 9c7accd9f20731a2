import { shown, escapeText } from '../src/core/index.js';
import type { WaitingItem } from '../src/core/index.js';
import { exampleFor, oneLineOf, showCommand } from '../src/human/index.js';
import { inboxTable } from '../src/render/index.js';
import type { Io } from './host/index.js';
import type { CommonFlags } from './flags/index.js';
import { printJson, tell } from './host/index.js';
import { doubtLines } from './report/index.js';
import { stdoutTable } from './screen/index.js';
import { openStore } from './store/index.js';

interface InboxFlags extends CommonFlags {
  readonly limit?: number;
}

/** `hitl inbox`: every open interrupt of every session, the oldest first. */
export async function inbox(io: Io, _args: readonly unknown[], flags: InboxFlags): Promise<number> {
  const { limit } = flags;
  const waiting: WaitingItem[] = [];
  const store = await openStore(io, flags);
  const items = store.waiting({ ...(limit !== undefined && { limit }) });
  for await (const item of items) waiting.push(item);
  if (flags.json === true) {
    printJson(
      io,
      waiting.map(({ session, interrupt, votes }) => ({ session, ...interrupt, ...(votes && { votes }) })),
    );
    return 0;
  }
  if (waiting.length === 0 && flags.quiet !== true) tell(io.stderr, shown`nothing is open`);
  const look = stdoutTable(io, flags.color);
  const rows = waiting.map((one) => {
    // An example is for copying, which one that is broken into a column is not; a refusal shows it whole.
    const example = look.columns === undefined ? exampleFor(one.interrupt) : undefined;
    const asked = oneLineOf(one.interrupt);
    return {
      ...one,
      asked: example === undefined ? asked : shown`${asked}; answer such as ${escapeText(example)}`,
    };
  });
  io.stdout.write(inboxTable(rows, { ...look, now: io.clock.now() }));
  if (flags.quiet === true) return 0;
  const [first] = waiting;
  if (first !== undefined) tell(io.stderr, shown`hint: ${showCommand(first.session)}`);
  for (const line of await doubtLines(store, store.list({ status: 'interrupted' }))) tell(io.stderr, line);
  return 0;
}
