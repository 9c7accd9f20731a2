// Makes the reference of the command line and the man page: tsx scripts/reference/main.ts [--check]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { processIo } from '../../commands/host/index.js';
import { buildProgram } from '../../commands/program/main.js';
import { formatted } from '../formatted.mjs';
import { answersPage } from './answers.js';
import { commandsPage } from './commands.js';
import { errorsPage } from './errors.js';
import { eventsPage } from './events.js';
import { expectationsPage } from './expectations.js';
import { expressionsPage } from './expressions.js';
import { manPage } from './man.js';

const { command: program } = buildProgram(processIo(), '');
const page = (text: string): Promise<string> => formatted('page.md', text);
const pages = {
  'docs/reference/commands.md': await page(commandsPage(program)),
  'docs/reference/answers.md': await page(answersPage()),
  'docs/reference/errors.md': await page(errorsPage()),
  'docs/reference/events.md': await page(eventsPage()),
  'docs/reference/expectations.md': await page(expectationsPage()),
  'docs/reference/expressions.md': await page(expressionsPage()),
  'man/hitl.1': manPage(program),
};
const stale = Object.entries(pages).filter(([file, text]) => read(file) !== text);
if (process.argv.includes('--check')) {
  for (const [file] of stale) process.stderr.write(`${file} is not current: npm run reference\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [file, text] of stale) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  process.stdout.write(`${stale.length} of ${Object.keys(pages).length} pages were made again\n`);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
