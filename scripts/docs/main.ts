// `npm run docs:check`: what the documents name is there, what is there is named, and their TypeScript compiles.
import { processIo } from '../../commands/host/index.js';
import { buildProgram } from '../../commands/program/main.js';
import { unknownCommands } from './commands.js';
import { brokenLinks } from './links.js';
import { unknownNames } from './names.js';
import { isCurrent, pages } from './pages.js';
import { wrongSnippets } from './snippets.js';
import { inventoriesOf, untold } from './untold.js';

const all = pages();
const current = all.filter(isCurrent);
const { command: program } = buildProgram(processIo(), '');
const { count, faults: wrong } = wrongSnippets(current);
const inventories = inventoriesOf(program);
const faults = [
  ...all.flatMap(brokenLinks),
  ...current.flatMap((page) => unknownCommands(page, program)),
  ...current.flatMap(unknownNames),
  ...untold(current, inventories),
  ...wrong,
];
if (count === 0) faults.push('no snippet was found');
for (const fault of new Set(faults)) process.stderr.write(`${fault}\n`);
process.stdout.write(
  `docs: ${all.length} pages, ${count} snippets, ${inventories.reduce((sum, { names }) => sum + names.length, 0)} names looked for, ${new Set(faults).size} faults\n`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
