import { escapeText, isQuestion, shown } from '../src/core/index.js';
import type { WaitingItem } from '../src/core/index.js';
import { exampleFor, oneLineOf, showCommand } from '../src/human/index.js';
import type { InboxItem } from '../src/render/index.js';
import { inboxTable } from '../src/render/index.js';
import type { Io } from './host/index.js';
import type { CommonFlags } from './flags/index.js';
import { printJson, tell } from './host/index.js';
import { doubtLines } from './report/index.js';
import { stdoutTable } from './screen/index.js';
import { openStore } from './store/index.js';

interface InboxFlags extends CommonFlags {
  readonly limit?: number;
  /** Timers and events from outside, too. */
  readonly all?: boolean;
}

/** `hitl inbox`: every open question of every session, the oldest first; with `--all` what waits for nobody, below. */
export async function inbox(io: Io, _args: readonly unknown[], flags: InboxFlags): Promise<number> {
  const { limit = Infinity } = flags;
  const asked: WaitingItem[] = [];
  const waits: WaitingItem[] = [];
  const store = await openStore(io, flags);
  for await (const item of store.waiting()) {
    if (asked.length + waits.length >= limit) break;
    if (isQuestion(item.interrupt)) asked.push(item);
    else if (flags.all === true) waits.push(item);
  }
  const waiting = [...asked, ...waits];
  if (flags.json === true) {
    printJson(
      io,
      waiting.map(({ session, interrupt, votes }) => ({ session, ...interrupt, ...(votes && { votes }) })),
    );
    return 0;
  }
  if (waiting.length === 0 && flags.quiet !== true) tell(io.stderr, shown`nothing is open`);
  const look = stdoutTable(io, flags.color);
  const rowOf = (one: WaitingItem): InboxItem => {
    // An example is for copying, which one that is broken into a column is not; a refusal shows it whole.
    const example = look.columns === undefined ? exampleFor(one.interrupt) : undefined;
    const line = oneLineOf(one.interrupt);
    return {
      ...one,
      asked: example === undefined ? line : shown`${line}; answer such as ${escapeText(example)}`,
    };
  };
  const options = { ...look, now: io.clock.now() };
  if (asked.length > 0 || waits.length === 0) io.stdout.write(inboxTable(asked.map(rowOf), options));
  if (asked.length > 0 && waits.length > 0) io.stdout.write(shown`\n`);
  if (waits.length > 0) io.stdout.write(inboxTable(waits.map(rowOf), options));
  if (flags.quiet === true) return 0;
  const [first] = asked;
  if (first !== undefined) tell(io.stderr, shown`hint: ${showCommand(first.session)}`);
  for (const line of await doubtLines(store, store.list({ status: 'interrupted' }))) tell(io.stderr, line);
  return 0;
}
