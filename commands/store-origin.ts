import type { Shown, StoreOrigin, UnderWay } from '../src/core/index.js';
import { count, escapeText, HitlError, shown } from '../src/core/index.js';
import type { SessionFlags } from './flags/options.js';
import type { Io } from './host/index.js';
import { isAskable, printJson, tell } from './host/index.js';
import { confirmHere } from './screen/confirm-here.js';
import { openStore } from './store/store.js';
import { shownStore } from './store/address.js';

interface OriginFlags extends SessionFlags {
  readonly yes?: boolean;
}

/**
 * `hitl store restored`: declares that the database was restored from a backup. This invalidates its
 * approvals.
 */
export async function storeRestored(io: Io, flags: OriginFlags): Promise<number> {
  const origin = originHere(io, flags);
  const found = await origin.survey();
  if (flags.quiet !== true) {
    tell(io.stderr, named(io, flags));
    tell(io.stderr, underWay(found));
    tell(
      io.stderr,
      shown`approvals become invalid, and you are asked whether these calls ran; open questions stay open`,
    );
  }
  const message = 'Was this database restored from a backup? Its approvals become invalid.';
  const isDone = await isAgreed(io, flags, { command: 'restored', message });
  if (isDone) await origin.restored();
  if (flags.json === true) printJson(io, { done: isDone, ...found });
  else tell(io.stderr, isDone ? shown`done; hint: start the workers, then run hitl inbox` : NOTHING);
  return 0;
}

/** `hitl store moved`: declares that the database was only moved, so that its sessions continue unchanged. */
export async function storeMoved(io: Io, flags: OriginFlags): Promise<number> {
  const origin = originHere(io, flags);
  const seen = await origin.look();
  if (flags.quiet !== true) tell(io.stderr, named(io, flags));
  const message = 'Is this the same database, complete, and no longer used at its old location?';
  const isDone = await isAgreed(io, flags, { command: 'moved', message });
  if (isDone) await origin.moved();
  if (flags.json === true) printJson(io, { done: isDone, ...seen });
  else tell(io.stderr, isDone ? shown`done; sessions continue as before` : NOTHING);
  return 0;
}

/** Shows which database is affected, because the old database's URL may still be set. */
function named(io: Io, flags: OriginFlags): Shown {
  return shown`database ${escapeText(shownStore(io, flags).value ?? '')}`;
}

const NOTHING = shown`Not changed`;

function underWay({ sessions, approved, begun, workflows, isAll }: UnderWay): Shown {
  const flows = workflows === 0 ? shown`` : shown`, ${count(workflows, 'workflow')}`;
  const more = isAll ? shown`` : shown` or more`;
  return shown`${count(sessions, 'session')}${more} would continue: ${count(approved, 'approved call')} not started, ${count(begun, 'call')} not finished${flows}`;
}

function originHere(io: Io, flags: OriginFlags): StoreOrigin {
  const { origin } = openStore(io, flags).capabilities;
  if (origin !== undefined) return origin;
  throw new HitlError('USAGE', 'copies of session folders are detected automatically', {
    hint: 'use a database: --store postgres://…, or HITL_STORE',
  });
}

async function isAgreed(
  io: Io,
  flags: OriginFlags,
  { command, message }: { readonly command: string; readonly message: string },
): Promise<boolean> {
  if (flags.yes === true) return true;
  if (flags.json === true || !isAskable(io, flags))
    throw new HitlError('USAGE', 'cannot ask for confirmation without a terminal', {
      hint: `hitl store ${command} --yes`,
    });
  return confirmHere(io, flags, { message, yes: 'yes', no: 'no, change nothing' });
}
