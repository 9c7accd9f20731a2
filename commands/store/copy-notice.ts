import type { SessionStore, Shown } from '../../src/core/index.js';
import { isHitlError, shown } from '../../src/core/index.js';

/** Says that the database is a copy in which nothing goes on; `undefined` where it is none, or cannot be asked now. */
export async function copyNotice(store: SessionStore): Promise<Shown | undefined> {
  try {
    const seen = await store.capabilities.origin?.look();
    if (seen?.isCopy !== true) return undefined;
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    return undefined; // whoever works in it hears of that
  }
  return shown`this database is a copy of another one: nothing goes on in it before it is said what it is\nhint: hitl store restored if it came from a backup, hitl store moved if the old place is gone`;
}
