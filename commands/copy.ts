import type { SessionCopying, SessionId, SessionStore } from '../src/core/index.js';
import { count, escapeText, HitlError, isHitlError, messageOf, shown } from '../src/core/index.js';
import { reportError } from './exit/report-error.js';
import type { CommonFlags } from './flags/options.js';
import type { Io } from './host/index.js';
import { printJson, tell } from './host/index.js';
import { openStore } from './store/store.js';
import { placeOf } from './store/address.js';

interface CopyFlags extends CommonFlags {
  readonly from?: string;
  readonly to: string;
}

/** The result of copying one session. */
interface Copied {
  readonly session: SessionId;
  /** `there`: an identical session already exists in the target store. */
  readonly result: 'copied' | 'there' | 'failed';
  /** Number of lines in the session's journal. */
  readonly records?: number;
  /** Number of outputs stored with the session. */
  readonly outputs?: number;
  readonly why?: string;
}

interface Places {
  readonly source: SessionStore;
  readonly giving: SessionCopying;
  readonly taking: SessionCopying;
}

/** `hitl copy`: copies sessions between stores byte for byte, without overwriting. */
export async function copy(io: Io, prefixes: readonly string[], flags: CopyFlags): Promise<number> {
  const source = openStore(io, flags.from === undefined ? {} : placeOf(flags.from));
  const target = openStore(io, placeOf(flags.to));
  const places = { source, giving: copyingOf(source), taking: copyingOf(target) };
  const ids =
    prefixes.length === 0
      ? await idsOf(source)
      : [...new Set(await Promise.all(prefixes.map((prefix) => source.resolve(prefix))))];
  let status = 0;
  let copies = 0;
  for (const id of ids) {
    const { copied, exit } = await copyOne(places, id);
    if (status === 0) status = exit;
    if (copied.result === 'copied') copies += 1;
    say(io, flags, copied);
  }
  if (flags.quiet !== true && flags.json !== true) {
    tell(io.stderr, shown`${count(copies, 'session')} of ${ids.length} copied`);
    if (copies > 0)
      tell(
        io.stderr,
        shown`hint: The copies are now independent. Continue one and delete the other with hitl rm.`,
      );
  }
  return status;
}

function copyingOf({ capabilities: { copying } }: SessionStore): SessionCopying {
  if (copying !== undefined) return copying;
  throw new HitlError('USAGE', 'this store cannot copy sessions', {
    hint: 'use a folder or a database',
  });
}

/**
 * Returns the ids of all sessions, oldest first, so that forks are copied after the sessions that they were
 * forked from.
 */
async function idsOf(source: SessionStore): Promise<readonly SessionId[]> {
  const ids: SessionId[] = [];
  for await (const { id } of source.list()) ids.push(id);
  return ids.sort();
}

async function copyOne(
  places: Places,
  id: SessionId,
): Promise<{ readonly copied: Copied; readonly exit: number }> {
  try {
    return { copied: await handedOver(places, id), exit: 0 };
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    return {
      copied: { session: id, result: 'failed', why: messageOf(thrown) },
      exit: reportError(thrown).status,
    };
  }
}

/** Copies a session. Locks it while copying, so that the copy is complete. */
async function handedOver({ source, giving, taking }: Places, id: SessionId): Promise<Copied> {
  await using session = await source.open(id, 'write');
  await checkNothingWaits(source, session);
  const copied = await giving.give(id);
  const facts = { session: id, records: copied.lines.length, outputs: copied.outputs.length };
  try {
    await taking.take(copied);
    return { ...facts, result: 'copied' };
  } catch (thrown) {
    if (!isHitlError(thrown) || thrown.code !== 'SESSION_EXISTS') throw thrown;
    const there = await taking.give(id);
    if (!isSame(copied.lines, there.lines))
      throw new HitlError('SESSION_EXISTS', `session ${id} already exists there and differs`);
    return { ...facts, result: 'there' };
  }
}

/**
 * Rejects a session with queued messages or answers. They would apply in both the original and the copy, and
 * anyone who can write to the folder could have added an answer.
 */
async function checkNothingWaits(
  source: SessionStore,
  session: Awaited<ReturnType<SessionStore['open']>>,
): Promise<void> {
  const { total } = await source.mail(session.id).list({ pageSize: 1 });
  const answer = await session.answers().take();
  if (total === 0 && answer === undefined) return;
  const what = answer === undefined ? count(total, 'message') : 'an answer';
  throw new HitlError('SESSION_LOCKED', `session ${session.id} has not received ${what} yet`, {
    hint: `continue it first: hitl resume ${session.id}`,
  });
}

function isSame(one: readonly Uint8Array[], other: readonly Uint8Array[]): boolean {
  return (
    one.length === other.length && one.every((line, at) => Buffer.compare(line, other[at] ?? line) === 0)
  );
}

function say(io: Io, flags: CopyFlags, copied: Copied): void {
  if (flags.json === true) {
    printJson(io, copied, 'line');
    return;
  }
  const { session, result, records = 0, outputs = 0, why = '' } = copied;
  const kept = outputs === 0 ? shown`` : shown`, ${count(outputs, 'output')}`;
  const words = {
    copied: shown`copied (${count(records, 'event')}${kept})`,
    there: shown`already up to date`,
    failed: shown`not copied: ${escapeText(why)}`,
  };
  io.stdout.write(shown`${session}  ${words[result]}\n`);
}
