// Makes the pictures of docs/screens.md from the built program, or with --check says which are not current.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { recording } from './recording.js';
import { PICTURES } from './pictures.js';
import type { Picture } from './pictures.js';
import { Screen } from './screen.js';
import { Stage } from './stage.js';
import { svgOf } from './svg.js';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const FOLDER = join(DOCS, 'pictures');
const SIZE = { columns: 80, rows: 24 };

async function drawn(picture: Picture): Promise<string> {
  using stage = new Stage();
  using screen = new Screen(stage, picture.args(stage), picture.size ?? SIZE);
  await picture.play(screen);
  return svgOf(screen, picture.title);
}

async function page(): Promise<string> {
  const pictures = PICTURES.map(({ name, title }) => `## ${title}\n\n![${title}](pictures/${name}.svg)`);
  const text = `# Screens\n\nReal runs of the program, drawn by \`npm run pictures\`. Times and ids are made the same. The words of a question, file by file: [where things are](../CONTRIBUTING.md#where-things-are-and-how-to-add-one).\n\n${pictures.join('\n\n')}\n`;
  return format(text, { ...(await resolveConfig(join(DOCS, 'screens.md'))), parser: 'markdown' });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const isCheck = process.argv.includes('--check');
const files = new Map([[join(DOCS, 'screens.md'), await page()]]);
for (const picture of PICTURES) {
  files.set(join(FOLDER, `${picture.name}.svg`), await drawn(picture));
  process.stderr.write(`${picture.name}\n`);
}
files.set(join(FOLDER, 'recording.svg'), await recording());
process.stderr.write('recording\n');
const stale = [...files].filter(([file, text]) => read(file) !== text).map(([file]) => file);
if (isCheck) {
  for (const file of stale) process.stderr.write(`not current: ${file}; npm run pictures draws it\n`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of readdirSync(FOLDER)) rmSync(join(FOLDER, name));
  for (const [file, text] of files) writeFileSync(file, text);
}
process.stdout.write(`${files.size - 1} pictures, ${stale.length} ${isCheck ? 'not current' : 'changed'}\n`);
