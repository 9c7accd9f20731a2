// Writes `test/api/report.md`: every name that the package exports, with its declaration, and the types that these name and
// nobody can import; and `docs/reference/library.md`: what can be called, with the first sentence of its doc comment. `--check` compares instead, so that a change of the public surface is seen in review.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

import { formatted } from './formatted.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const report = path.join(root, 'test/api/report.md');
const { name: packageName, exports } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

const entries = Object.entries(exports)
  .filter(([, target]) => typeof target === 'object' && target.types !== undefined)
  .map(([key, { types, default: module }]) => ({
    key: path.posix.join(packageName, key),
    file: path.join(root, types),
    module: path.join(root, module),
  }));
const program = ts.createProgram({
  rootNames: entries.map(({ file }) => file),
  options: {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
  },
});
const checker = program.getTypeChecker();

const surfaces = entries.map(({ key, file, module }) => ({ key, module, names: namesOf(file) }));
const exported = new Set(surfaces.flatMap(({ names }) => names.map(({ symbol }) => symbol)));
const hidden = [
  ...new Set(surfaces.flatMap(({ names }) => names.flatMap(({ symbol, name }) => hiddenIn(symbol, name)))),
];

const building = `## Named above, and not exported\n\n${hidden.map((found) => `- ${found}`).join('\n')}\n`;
// What a value is said to be and is not there misleads: an editor offers it, and the compiler or Node refuses it.
const phantoms = (await Promise.all(surfaces.map(phantomsOf))).flat();
for (const phantom of phantoms) console.error(`declared as a value, and not there at run time: ${phantom}`);
const silent = surfaces.flatMap(({ key, names }) =>
  names
    .filter(({ symbol }) => isOurs(symbol) && wordsOf(symbol) === '')
    .map(({ name }) => `${name} of ${key}`),
);
for (const name of silent) console.error(`has no doc comment: ${name}`);
if (phantoms.length + silent.length > 0) process.exitCode = 1;
const text = await formatted(
  report,
  `# What the package exports\n\n${[...surfaces.map(sectionOf), building].join('\n')}`,
);
const index = path.join(root, 'docs/reference/library.md');
const pages = new Map([
  [report, text],
  [index, await formatted(index, indexText())],
]);
for (const [file, page] of pages) {
  const before = await readFile(file, 'utf8').catch(() => '');
  if (!process.argv.includes('--check')) await writeFile(file, page);
  else if (page !== before) {
    console.error(
      `${path.relative(root, file)} is not what the package exports: npm run api, and look at it`,
    );
    process.exitCode = 1;
  }
}
const count = surfaces.reduce((sum, { names }) => sum + names.length, 0);
console.log(
  `api: ${count} names in ${surfaces.length} entries, ${hidden.length} types that cannot be imported`,
);

function namesOf(file) {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} is not built: npm run build`);
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .map((alias) => ({ name: alias.name, symbol: resolved(alias) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names whose declarations are values that the module does not have; a class may be named as a type. */
async function phantomsOf({ key, module, names }) {
  const there = new Set(Object.keys(await import(module)));
  const { Value, Class } = ts.SymbolFlags;
  return names
    .filter(({ name, symbol }) => symbol.flags & Value && !(symbol.flags & Class) && !there.has(name))
    .map(({ name }) => `${name} of ${key}`);
}

function resolved(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The types of this package that a declaration names and no entry exports. */
function hiddenIn(symbol, name) {
  const found = [];
  const visit = (node) => {
    if (isPrivate(node)) return;
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const used = checker.getSymbolAtLocation(
        ts.isTypeReferenceNode(node) ? node.typeName : node.expression,
      );
      if (used !== undefined && isOurs(resolved(used)) && !exported.has(resolved(used))) {
        found.push(`\`${used.name}\`, by \`${name}\``);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const declaration of symbol.declarations ?? []) if (isOurs(symbol)) visit(declaration);
  return found;
}

/** The page of what users can call, in a table for each entry. */
function indexText() {
  const sections = surfaces.map(({ key, names }) => {
    const rows = names
      .filter(({ symbol }) => symbol.flags & ts.SymbolFlags.Value && isOurs(symbol))
      .map(({ name, symbol }) => `- \`${name}\`: ${firstSentence(symbol)}`);
    return `## \`${key}\`\n\n${rows.join('\n')}\n`;
  });
  const head =
    '# Library\n\nThe functions, classes and constants of each entry, generated from doc comments by `npm run api`. An editor shows the full comments and types.\n';
  return [head, ...sections].join('\n');
}

function firstSentence(symbol) {
  const said = wordsOf(symbol).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
  return /^.*?[.:](?= [A-Z`]|$)/.exec(said)?.[0].replace(/:$/, '.') ?? said;
}

function wordsOf(symbol) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
}

function isPrivate(node) {
  return node.name !== undefined && ts.isPrivateIdentifier(node.name);
}

function isOurs(symbol) {
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined || ts.isTypeParameterDeclaration(declaration)) return false;
  const file = declaration.getSourceFile().fileName;
  return file.startsWith(path.join(root, 'dist')) && symbol.flags !== ts.SymbolFlags.TypeParameter;
}

function sectionOf({ key, names }) {
  const declarations = names.map(({ name, symbol }) => declarationOf(name, symbol));
  return `## \`${key}\`\n\n\`\`\`ts\n${declarations.join('\n')}\n\`\`\`\n`;
}

function declarationOf(name, symbol) {
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined || !isOurs(symbol)) return `// ${name}`;
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const printer = ts.createPrinter({ removeComments: true });
  return printer
    .printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile())
    .replace(/^export /, '')
    .replace(/^declare (?!const )/, '') // a constant without a value is no TypeScript elsewhere
    .replaceAll(/^ {4}(?:private|#).*\n/gm, '');
}
