import type { DeliveryNote } from '../../src/core/index.js';
import { isDeliveryNote, parseStrictJson } from '../../src/core/index.js';
import type { SqlRow } from './driver/sql-driver.js';
import { textIn } from './driver/sql-driver.js';

/** The subject in error messages about these statements. */
export const WHAT = 'what was sent';

/**
 * Selects the open question of a note and locks it until the statement ends (see `due.ts`). Parameters: `$1`
 * the space, `$2` the session, `$3` the interrupt, `$4` the part of the question's body that contains the
 * digest.
 */
export const ABOUT = `q as (select o.sid, o.interrupt from hitl_session s join hitl_open o using (sid)
  where s.space = $1 and s.id = $2 and o.interrupt = $3
    and (position($4 in o.body) > 0 or '"digest":"' || encode(o.digest, 'hex') || '"' = $4) for key share of o)`;

/** Returns the parameters for `ABOUT`. */
export function aboutOf(space: string, { session, interrupt, digest }: DeliveryNote): readonly string[] {
  return [space, session, interrupt, `"digest":${JSON.stringify(digest)}`];
}

/** Returns a row's note; `undefined` if it is invalid. */
export function noteIn(row: SqlRow): DeliveryNote | undefined {
  const note = parseStrictJson(textIn(row, 'body'));
  return note.ok && isDeliveryNote(note.value) ? note.value : undefined;
}
