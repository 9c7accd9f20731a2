import type { Interrupt, SessionId } from '../src/core/index.js';
import { isHitlError, openInterrupts } from '../src/core/index.js';
import { oneLineOf } from '../src/human/index.js';
import { inboxTable } from '../src/render/index.js';
import type { FileStore } from '../sessions/index.js';
import type { Io } from './host/index.js';
import type { CommonFlags } from './flags/index.js';
import { printJson, stdoutTable } from './host/index.js';
import { openStore } from './store/index.js';

interface Waiting {
  readonly session: SessionId;
  readonly interrupt: Interrupt;
}

/** `hitl inbox`: every open interrupt of every session, the oldest first. */
export async function inbox(io: Io, _args: readonly unknown[], flags: CommonFlags): Promise<number> {
  const store = openStore(io, flags);
  const waiting: Waiting[] = [];
  for await (const summary of store.list()) {
    if (summary.waiting === 0) continue;
    try {
      for (const interrupt of await openOf(store, summary.id))
        waiting.push({ session: summary.id, interrupt });
    } catch (thrown) {
      // One session that cannot be read does not hide the questions of the others.
      if (!isHitlError(thrown)) throw thrown;
      io.stderr.write(`warning: session ${summary.id} cannot be read: hitl doctor ${summary.id}\n`);
    }
  }
  waiting.sort((left, right) => left.interrupt.raisedAt.localeCompare(right.interrupt.raisedAt));
  if (flags.json === true) {
    printJson(
      io,
      waiting.map(({ session, interrupt }) => ({ session, ...interrupt })),
    );
    return 0;
  }
  if (waiting.length === 0 && flags.quiet !== true) io.stderr.write('nothing is open\n');
  const items = waiting.map((one) => ({ ...one, asked: oneLineOf(one.interrupt) }));
  io.stdout.write(inboxTable(items, { ...stdoutTable(io, flags.color), now: io.clock.now() }));
  return 0;
}

/** In a function of its own: the compiler's form of `using` carries an error over to the next round of a loop. */
async function openOf(store: FileStore, id: SessionId): Promise<readonly Interrupt[]> {
  await using session = await store.open(id, 'read');
  return openInterrupts(session.state);
}
