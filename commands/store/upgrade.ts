import type { Shown, StoreUpgrade } from '../../src/core/index.js';
import { count, escapeText, HitlError, shown } from '../../src/core/index.js';
import type { SessionFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { isAskable, printJson, tell } from '../host/index.js';
import { confirmHere } from '../screen/confirm-here.js';
import { openStore } from './store.js';

interface UpgradeFlags extends SessionFlags {
  readonly yes?: boolean;
}

/** Maximum number of connections from older programs to list. */
const SHOWN = 5;

/**
 * `hitl store upgrade`: after confirmation, declares that no older version of the program uses the database.
 */
export async function upgradeStore(io: Io, flags: UpgradeFlags): Promise<number> {
  const { capabilities } = openStore(io, flags);
  const upgrade = capabilities.upgrade ?? inFolder();
  const { isDone, older } = await upgrade.state();
  if (!isDone) {
    if (older.length > 0) tell(io.stderr, olderNotice(older));
    if (flags.yes !== true && !(await isAgreed(io, flags))) {
      tell(io.stderr, shown`Not changed`);
      return 0;
    }
    await upgrade.upgrade();
  }
  if (flags.json === true) printJson(io, { upgraded: !isDone, older });
  if (flags.quiet === true) return 0;
  tell(
    io.stderr,
    isDone
      ? shown`the database is already upgraded`
      : shown`upgraded: older programs are refused, and new sessions use less space`,
  );
  return 0;
}

function inFolder(): StoreUpgrade {
  throw new HitlError('USAGE', 'sessions in a folder do not need an upgrade', {
    hint: 'use a database: --store postgres://hitl@db.example/hitl',
  });
}

function olderNotice(older: Awaited<ReturnType<StoreUpgrade['state']>>['older']): Shown {
  const from = [...new Set(older.map(({ address = 'this machine' }) => address))];
  const places = `${from.slice(0, SHOWN).join(', ')}${from.length > SHOWN ? ' …' : ''}`;
  return shown`${count(older.length, 'connection')} from programs of version 0.2.0 or older (${escapeText(places)}): stop these programs first; they cannot detect the upgrade`;
}

async function isAgreed(io: Io, flags: UpgradeFlags): Promise<boolean> {
  if (!isAskable(io, flags))
    throw new HitlError('USAGE', 'cannot ask for confirmation without a terminal', {
      hint: 'hitl store upgrade --yes',
    });
  return confirmHere(io, flags, {
    message: 'Refuse older program versions from now on? This cannot be undone.',
    yes: 'upgrade',
    no: 'not yet',
  });
}
