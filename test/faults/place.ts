import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { createFileStore } from '../../sessions/index.js';
import { createPostgresStore, pgDriver } from '../../sessions/postgres/index.js';
import type { SessionStore } from '../../src/core/index.js';
import { checkSessionId } from '../../src/core/index.js';

/** The place where the program keeps its sessions, as it is looked at from outside. */
export interface Place {
  /** Leads the program there. */
  readonly env: Readonly<Record<string, string>>;
  readonly store: SessionStore;
  ids(): Promise<readonly string[]>;
  /** The bytes of a journal; none where there is no such session. */
  journal(id: string): Promise<Buffer>;
  /** The folder of a session; absent where there is none. */
  folderOf?(id: string): string;
  /** Ends the server as a machine does that fails, and starts it again; absent where there is none. */
  crash?(): Promise<void>;
  /** Removes all that is there. */
  clear(): Promise<void>;
}

const clock = { now: () => Date.now(), sleep: async () => undefined };

/** A folder of sessions. */
export function folderPlace(sessions: string): Place {
  const folderOf = (id: string): string => path.join(sessions, id);
  return {
    env: {},
    store: createFileStore({ root: sessions, clock, random: randomBytes }),
    ids: async () => (existsSync(sessions) ? readdirSync(sessions) : []),
    journal: async (id) => {
      const file = path.join(folderOf(id), 'journal.jsonl');
      return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    },
    folderOf,
    clear: async () => undefined,
  };
}

/** A server of PostgreSQL of its own, and what ends it. */
export async function databasePlace(): Promise<Place & AsyncDisposable> {
  const { pg, startServer } = await import('../../tools/servers/server.mjs');
  const server = await startServer();
  const sql = pgDriver(pg, server.url);
  const store = createPostgresStore({ connection: sql, clock, random: randomBytes });
  await store.waitingCount(); // makes the tables
  return {
    env: { HITL_STORE: server.url },
    store,
    ids: async () => (await sql.query('select id from hitl_session')).map((row) => String(row['id'])),
    journal: async (id) => {
      const ids = await sql.query('select id from hitl_session where id = $1', [id]);
      if (ids.length === 0) return Buffer.alloc(0);
      const copy = await store.capabilities.copying?.give(checkSessionId(id));
      return Buffer.concat((copy?.lines ?? []).flatMap((line) => [line, Buffer.from('\n')]));
    },
    crash: () => server.crash(),
    clear: async () => {
      await sql.query('truncate hitl_session cascade');
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await sql.close();
      await server.stop();
    },
  };
}
