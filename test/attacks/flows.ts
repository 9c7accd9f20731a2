// Workflows for the attacked program, as modules that keep a ledger.
import type { Ended } from './process.js';
import type { RunOptions, World } from './world.js';

/** Writes a module whose default export is a flow; `append(line)` of it writes to the ledger. */
export function flowModule(world: World, built: string, name = 'flow.mjs'): string {
  return world.write(
    `proj/${name}`,
    `import fs from 'node:fs';
import { defineTool, graph } from 'hitl';
const append = (line) => fs.appendFileSync(${JSON.stringify(world.path('ledger.jsonl'))}, JSON.stringify(line) + '\\n');
export default ${built};
`,
  );
}

/** Starts a flow with a script that has only replies of no importance. */
export async function runFlow(
  world: World,
  flow: string,
  flags: readonly string[] = [],
  options: RunOptions = {},
): Promise<Ended> {
  return world.run(['run', flow, '-m', 'demo', ...flags], options);
}
