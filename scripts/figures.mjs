// Prints the size and the shape of the project, or of another checkout: `npm run figures -- ../other`. It judges
// nothing, so that before and after come from one script.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'));
const SOURCE = /\.(?:ts|mts|mjs|js|cjs|sh)$/u;
const LEFT_OUT = new Set(['node_modules', 'dist', 'reports', 'coverage']);

const product = filesOf(['bin', 'src', 'commands', 'sessions'], /\.ts$/u).map(productFile);
const importers = new Map(product.map(({ name }) => [name, new Set()]));
for (const { name, imports } of product)
  for (const target of imports) if (target !== name) importers.get(target)?.add(name);
const isDoor = ({ name }) => path.basename(name) === 'index.ts';
const doors = product.filter(isDoor);
const usedOnce = product.filter((file) => !isDoor(file) && importers.get(file.name).size === 1);
const twice = namesThatStandTwice(product.filter((file) => !isDoor(file)));

/** `docs/api.md`: in checkouts of before the report of the API left `docs`. */
const generated = (name) => name.startsWith('docs/reference/') || name === 'docs/api.md';
const documents = [...filesOf(['docs'], /\.md$/u).filter((name) => !generated(name)), 'README.md'];

const rows = [
  ['product: files', product.length],
  ['product: lines', sum(product, 'lines')],
  ['product: lines of code', sum(product, 'code')],
  ['product: folders', new Set(product.map(({ name }) => path.dirname(name))).size],
  ['product: doors (index.ts)', doors.length],
  ['product: imported by exactly one other file', usedOnce.length],
  ['product: of these under 40 lines', usedOnce.filter(({ lines }) => lines < 40).length],
  ['product: names that stand on more than one file', twice.names],
  ['product: files with such a name', twice.files],
  ['documents: words (README, docs)', wordsOf(documents)],
  [
    'documents: words of these in docs/adr',
    wordsOf(documents.filter((name) => name.startsWith('docs/adr/'))),
  ],
  ['documents: words of the generated reference', wordsOf(filesOf(['docs'], /\.md$/u).filter(generated))],
  ['documents: words of CHANGELOG', wordsOf(['CHANGELOG.md'])],
  ...['scripts', 'tools', 'test', 'bench'].map((room) => [
    `${room}: lines`,
    linesIn(filesOf([room], SOURCE)),
  ]),
  ['scripts: lines of these in mutants', linesIn(filesOf(['scripts/mutants'], SOURCE))],
];
console.log(root);
for (const [what, figure] of rows)
  console.log(`${what.padEnd(48)} ${figure.toLocaleString('en').padStart(9)}`);

/** The files of some rooms, sorted, as paths from the root with slashes. */
function filesOf(rooms, pattern) {
  return rooms
    .flatMap(inside)
    .filter((name) => pattern.test(name))
    .sort();
}

function inside(folder) {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : inside(name);
    return entry.isFile() ? [name] : [];
  });
}

function productFile(name) {
  const text = textOf(name);
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
  return { name, lines: lineCount(text), code: linesOfCode(source), imports: importsOf(source) };
}

/** The lines on which a token stands: neither blank nor comment alone. */
function linesOfCode(source) {
  const lines = new Set();
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const parts = node.getChildren(source);
    if (parts.length > 0) return parts.forEach(visit);
    if (node.getWidth(source) === 0) return;
    const [first, last] = [node.getStart(source), node.getEnd()].map(
      (at) => source.getLineAndCharacterOfPosition(at).line,
    );
    for (let line = first; line <= last; line += 1) lines.add(line);
  };
  visit(source);
  return lines.size;
}

/** The files of the project that a file names: imports, exports, `import()` and types of `import()`. */
function importsOf(source) {
  const found = [];
  const visit = (node) => {
    const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    const given = isCall ? node.arguments[0] : (node.moduleSpecifier ?? node.argument?.literal);
    if (given !== undefined && ts.isStringLiteralLike(given) && given.text.startsWith('.'))
      found.push(path.posix.join(path.posix.dirname(source.fileName), given.text).replace(/\.js$/u, '.ts'));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function namesThatStandTwice(files) {
  const names = files.map(({ name }) => path.basename(name));
  const twice = names.filter(
    (name, index) => names.indexOf(name) !== index || names.lastIndexOf(name) !== index,
  );
  return { names: new Set(twice).size, files: twice.length };
}

function textOf(name) {
  return existsSync(path.join(root, name)) ? readFileSync(path.join(root, name), 'utf8') : '';
}

function lineCount(text) {
  return text.split('\n').length - 1;
}

function linesIn(names) {
  return names.reduce((all, name) => all + lineCount(textOf(name)), 0);
}

function wordsOf(names) {
  return names.reduce((all, name) => all + (textOf(name).match(/\S+/gu)?.length ?? 0), 0);
}

function sum(files, field) {
  return files.reduce((all, file) => all + file[field], 0);
}
