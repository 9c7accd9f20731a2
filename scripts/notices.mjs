import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|notice|copying)/i;
const OUR_LICENCE = 'Apache-2.0';
const LINE = '='.repeat(80);

/** Gives the licences of the packages whose code is in files that esbuild made, by its `metafiles`. */
export async function noticesOf(metafiles, root) {
  const outputs = metafiles.flatMap(({ outputs }) => Object.values(outputs));
  const used = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  const folders = new Set(used.flatMap(([file]) => folderOf(file) ?? []));
  const notices = await Promise.all([...folders].map((folder) => noticeOf(path.join(root, folder))));
  const sorted = [...new Set(notices)].sort((a, b) => (a < b ? -1 : 1));
  return ['Code of these packages is in this one.\n', ...sorted].join(`\n${LINE}\n`);
}

/** The folder of the package that a file is of; `undefined` for a file of our own. */
function folderOf(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/** @throws Error for a package whose licence is not told. */
async function noticeOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  if (texts.length === 0 && license === OUR_LICENCE) texts.push('The text of this licence is in LICENSE.');
  if (texts.length === 0) throw new Error(`${name} ${version} does not tell its licence`);
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim()), ''].join('\n\n');
}
