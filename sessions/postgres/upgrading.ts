import type { StoreUpgrade } from '../../src/core/index.js';
import type { Database } from './database.js';
import { notSaved } from './database.js';
import { isUpgraded, upgradeSchema, versionOf } from './schema.js';

/** Connections of programs that look at the version of the tables once, when they start: 0.2.0 and what came before it. */
const OLDER = `select pid, client_addr::text as address from pg_stat_activity
  where datname = current_database() and application_name = 'hitl' order by pid`;

/** Tables that programs of several versions share until somebody says that all are upgraded. */
export function upgradeOf(database: Database): StoreUpgrade {
  return {
    async state() {
      await database.known();
      const isDone = isUpgraded(await versionOf(await database.asked()));
      const rows = await database.read('the connections', OLDER);
      const older = rows.map(({ pid, address }) => ({
        connection: Number(pid),
        ...(typeof address === 'string' && { address }),
      }));
      return { isDone, older };
    },
    async upgrade() {
      try {
        await upgradeSchema(await database.asked());
      } catch (thrown) {
        throw notSaved('the version of the tables', thrown);
      }
      database.forgetVersion();
    },
  };
}
