import type { Deliveries } from '../../src/core/index.js';
import { dueParts } from './due-rows.js';
import type { Questions } from './list-rows.js';
import { ABOUT, aboutOf, noteIn, WHAT } from './note-rows.js';

const FIRST = `with ${ABOUT} insert into hitl_delivery (space, key, revision, body, open_sid, open_interrupt)
  select $1, $5, $6::int, $7, q.sid, q.interrupt from (values (1)) one left join q on true
  on conflict (space, key) do nothing returning key`;
const NEXT = `with ${ABOUT}, n as (select q.sid, q.interrupt from (values (1)) one left join q on true)
  update hitl_delivery d set revision = $6, body = $7, open_sid = n.sid, open_interrupt = n.interrupt from n
  where d.space = $1 and d.key = $5 and d.revision = $6::int - 1 returning d.key`;

/** Notes about messages as rows; each change names the revision that it follows. */
export function deliveryRows(questions: Questions): Deliveries {
  const { database, space } = questions;
  return {
    async *list({ gone = false } = {}) {
      const wanted = gone ? 'and due is not null and open_sid is null' : '';
      const text = `select body from hitl_delivery where space = $1 ${wanted}`;
      for (const row of await database.read(WHAT, text, [space])) {
        const note = noteIn(row);
        if (note !== undefined) yield note;
      }
    },
    due: (target, now) => dueParts({ ...questions, target }, now),
    async put(note) {
      const { key, revision } = note;
      const values = [...aboutOf(space, note), key, revision, JSON.stringify(note)];
      return (await database.change(WHAT, revision === 1 ? FIRST : NEXT, values)).length > 0;
    },
    async drop({ key, revision }) {
      const gone = `delete from hitl_delivery where space = $1 and key = $2 and revision = $3 returning key`;
      return (await database.change(WHAT, gone, [space, key, revision])).length > 0;
    },
  };
}
