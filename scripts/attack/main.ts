// Tries every known attack against the built program: tsx scripts/attack/main.ts [--only C1,H4] [--json] [--list].
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { ProgramCopy } from './program-copy.js';
import { rowText } from './report.js';
import { ROWS } from './rows/index.js';
import { runRows } from './run-rows.js';
import { selectRows } from './select.js';
import { statusOf, summaryOf } from './verdict.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism() + 1)) },
  },
});

function print(text: string): void {
  process.stdout.write(text);
}

async function attack(): Promise<number> {
  const rows = selectRows(ROWS, values.only);
  if (values.list) {
    for (const { id, tried } of rows) print(`${id.padEnd(5)} ${tried}\n`);
    return 0;
  }
  using program = new ProgramCopy(fileURLToPath(new URL('../..', import.meta.url)));
  const results = await runRows(rows, {
    program,
    atOnce: Number(values.jobs),
    onResult: (result) => {
      if (!values.json) print(rowText(result));
    },
  });
  const seconds = Math.round(performance.now() / 1000);
  if (values.json)
    print(`${JSON.stringify({ summary: summaryOf(results), seconds, rows: results }, null, 2)}\n`);
  else print(`${summaryOf(results)}\n`);
  return statusOf(results);
}

try {
  process.exitCode = await attack();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
// What an attack left behind, such as a timer of its own, must not keep this alive.
process.exit();
