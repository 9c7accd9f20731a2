import type { SessionCopy, SessionCopying, SessionId } from '../../src/core/index.js';
import { checkSessionId } from '../../src/core/index.js';
import { exists, notFound } from '../journal/open-journal.js';
import { NO_RECORDS } from '../journal/session-tip.js';
import { unfit } from '../journal/journal-verdict.js';
import { checkedLines } from '../snapshot/load-journal.js';
import { FACTS, factsOf, places, writing } from './batch.js';
import type { Database } from './database.js';
import { loadRows } from './load.js';
import { EPOCH } from './database-origin.js';
import type { Texts } from './packing.js';
import { lineIn } from './packing.js';
import { tipOf } from '../opening/adoption.js';

const TAKE = `with s as (
    insert into hitl_session (space, id, epoch, fence, packing, ${FACTS.join(', ')})
    values ($1, $2, ${EPOCH}, 0, decode($3, 'hex'), ${places(4).join(', ')})
    on conflict (space, id) do nothing returning sid, space, id), `;

interface Place {
  readonly database: Database;
  readonly texts: Texts;
  readonly space: string;
}

/** Copies sessions between their database rows and other stores. */
export function copyingRows(place: Place): SessionCopying {
  const { database, texts, space } = place;
  return {
    async give(id) {
      const { rows, outputs } = await database.transaction(`session ${id}`, async (sql) => {
        await sql.query('set transaction isolation level repeatable read');
        const rows = await sql.query(
          `select e.line, e.packed, e.cut, s.packing from hitl_session s join hitl_event e using (sid)
           where s.space = $1 and s.id = $2 order by e.seq`,
          [space, checkSessionId(id)],
        );
        const kept = await sql.query(
          `select o.name, o.bytes from hitl_session s join hitl_output o using (sid)
           where s.space = $1 and s.id = $2 order by o.name`,
          [space, id],
        );
        const outputs = kept.flatMap(({ name, bytes }) =>
          typeof name === 'string' && bytes instanceof Uint8Array ? [{ name, bytes }] : [],
        );
        return { rows, outputs };
      });
      const [first] = rows;
      if (first === undefined) throw notFound(id);
      const packer = await texts.packerIn(first);
      const { health, position } = loadRows(rows, packer);
      if (health.status === 'damaged' || health.status === 'newer') throw unfit(id, health, position.seq);
      return { id, lines: rows.map((row) => lineIn(row, packer)), outputs };
    },
    async take(copy) {
      await takeRows(place, checkSessionId(copy.id), copy);
    },
  };
}

async function takeRows(
  { database, texts, space }: Place,
  id: SessionId,
  { lines, outputs }: SessionCopy,
): Promise<void> {
  const { loaded, stored } = checkedLines(id, lines);
  const tip = tipOf(loaded, undefined);
  const newlined = lines.map((line) => Buffer.concat([line, Buffer.from('\n')]));
  const packer = await texts.packerFor(tip.state.agent);
  const batch = { lines: newlined, stored, from: NO_RECORDS, to: tip, packer };
  const { text, parameters } = writing(batch, FACTS.length + 4);
  await database.transaction(`session ${id}`, async (sql) => {
    const digest = packer?.digest ?? null;
    const rows = await sql.query(TAKE + text, [space, id, digest, ...restingFacts(id, tip), ...parameters]);
    if (rows.length === 0) throw exists(id);
    for (const { name, bytes } of outputs) {
      const keep = `insert into hitl_output (sid, name, bytes)
        select sid, $3, $4 from hitl_session where space = $1 and id = $2`;
      await sql.query(keep, [space, id, name, bytes]);
    }
  });
}

/**
 * Returns the values of `FACTS` for a session that must not continue on its own. The process that copied it
 * decides when it continues.
 */
function restingFacts(...of: Parameters<typeof factsOf>): ReturnType<typeof factsOf> {
  const facts = factsOf(...of);
  return facts.map((fact, index) => (FACTS[index] === 'due_at' && fact === 'now' ? null : fact));
}
