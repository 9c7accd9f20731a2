// Makes the pictures of docs/screens.md from the built program, or with --check says which are not current.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createPatch } from 'diff';

import { formatted } from '../formatted.mjs';
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
  const text = `# Screens\n\nReal runs of the program, drawn by \`npm run pictures\` with fixed times and ids. [Where things are](../CONTRIBUTING.md#where-things-are-and-how-to-add-one) lists the files with the wording of questions.\n\n${pictures.join('\n\n')}\n`;
  return formatted('screens.md', text);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const isCheck = process.argv.includes('--check');
const DRAWN: readonly (readonly [string, () => Promise<string>])[] = [
  [join(DOCS, 'screens.md'), page],
  ...PICTURES.map((picture) => [join(FOLDER, `${picture.name}.svg`), () => drawn(picture)] as const),
  [join(FOLDER, 'recording.svg'), recording],
];
const files = new Map<string, string>();
for (const [file, draw] of DRAWN) {
  let text = await draw();
  // On a busy machine a screen can be looked at before it is whole: what differs is drawn once more before it counts.
  if (isCheck && text !== read(file)) text = await draw();
  files.set(file, text);
  process.stderr.write(`${basename(file)}\n`);
}
const stale = [...files].filter(([file, text]) => read(file) !== text);
if (isCheck) {
  for (const [file, text] of stale) {
    process.stderr.write(`not current: ${file}; npm run pictures draws it\n`);
    process.stderr.write(createPatch(basename(file), read(file) ?? '', text, 'as it is', 'as drawn'));
  }
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of readdirSync(FOLDER)) rmSync(join(FOLDER, name));
  for (const [file, text] of files) writeFileSync(file, text);
}
process.stdout.write(`${files.size - 1} pictures, ${stale.length} ${isCheck ? 'not current' : 'changed'}\n`);
