import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

import type { OutputStore } from '../../src/core/index.js';
import { checkSessionId, HitlError } from '../../src/core/index.js';
import { notFound } from '../journal/open-journal.js';
import { FOLDER_MODE } from '../disk/atomic-write.js';
import type { Database } from './database.js';

/** Stores tool outputs that are too large for the journal, as rows that belong to their session. */
export function outputRows(database: Database, space: string, files: string | undefined): OutputStore {
  return {
    async keep(id, text, sha256) {
      const name = `output-${sha256}.json`;
      const rows = await database.change(
        `an output for session ${id}`,
        `insert into hitl_output (sid, name, bytes) select sid, $3, $4 from hitl_session
         where space = $1 and id = $2
         on conflict (sid, name) do update set bytes = excluded.bytes returning sid`,
        [space, checkSessionId(id), name, Buffer.from(text)],
      );
      if (rows.length === 0) throw notFound(id);
      return name;
    },
    async digest(id, name) {
      const [row] = await database.read(
        `an output for session ${id}`,
        `select o.bytes from hitl_output o join hitl_session s using (sid)
         where s.space = $1 and s.id = $2 and o.name = $3`,
        [space, checkSessionId(id), name],
      );
      const bytes = row?.['bytes'];
      return bytes instanceof Uint8Array ? createHash('sha256').update(bytes).digest('hex') : undefined;
    },
    fileBeside(id, name) {
      if (files !== undefined) return besideIn(path.join(files, checkSessionId(id)), name);
      throw new HitlError('USAGE', `session ${id} is in a database, so it has no files`, {
        hint: 'name a folder of sessions: --sessions <dir>',
      });
    },
  };
}

function besideIn(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  return path.join(folder, path.basename(name));
}
