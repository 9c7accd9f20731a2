import type { Deliveries } from '../../src/core/index.js';
import { isDeliveryNote, parseStrictJson } from '../../src/core/index.js';
import type { Database } from './database.js';
import { textIn } from './driver/index.js';

const WHAT = 'what was sent';

/** Notes about messages as rows; each change names the revision that it follows. */
export function deliveryRows(database: Database, space: string): Deliveries {
  return {
    async *list() {
      const rows = await database.read(WHAT, 'select body from hitl_delivery where space = $1', [space]);
      for (const row of rows) {
        const note = parseStrictJson(textIn(row, 'body'));
        if (note.ok && isDeliveryNote(note.value)) yield note.value;
      }
    },
    async put(note) {
      const { key, revision } = note;
      const first = `insert into hitl_delivery (space, key, revision, body) values ($1, $2, $3, $4)
        on conflict (space, key) do nothing returning key`;
      const next = `update hitl_delivery set revision = $3, body = $4
        where space = $1 and key = $2 and revision = $3 - 1 returning key`;
      const values = [space, key, revision, JSON.stringify(note)];
      return (await database.change(WHAT, revision === 1 ? first : next, values)).length > 0;
    },
    async drop({ key, revision }) {
      const gone = `delete from hitl_delivery where space = $1 and key = $2 and revision = $3 returning key`;
      return (await database.change(WHAT, gone, [space, key, revision])).length > 0;
    },
  };
}
