import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FileContent } from '../files/index.js';
import { contentOf, manifestIn, moduleClosure } from '../files/index.js';

/** Node, which loads modules by laws that can be followed: another runtime reads settings of the folder first. */
const NODE: ReadonlySet<string> = new Set(['node', 'nodejs']);

/** Programs whose first argument is a file that they run. */
const INTERPRETERS: ReadonlySet<string> = new Set([
  ...NODE,
  ...'deno bun tsx ts-node python python3 pypy ruby perl php lua sh bash dash zsh'.split(' '),
]);

/** Arguments of an interpreter behind which stands a module or a program’s text. */
const NAMES_NO_FILE: ReadonlySet<string> = new Set('-m -c -e -p -r --eval --print run'.split(' '));

/** Arguments of Node behind which stands a module that it loads first, and those with another value. */
const LOADS_FIRST: ReadonlySet<string> = new Set(
  '-r --require --import --loader --experimental-loader'.split(' '),
);
const TAKES_VALUE: ReadonlySet<string> = new Set([...LOADS_FIRST, '-C', '--conditions', '--env-file']);

/** Programs that run a package by its name: a name among their words is never taken for a file. */
const PACKAGE_RUNNERS: ReadonlySet<string> = new Set('npx bunx uvx pipx npm pnpm yarn uv'.split(' '));

/** True for a program that fetches what it runs, or takes it from the folder that it stands in. */
export function runsPackages(program: string): boolean {
  return PACKAGE_RUNNERS.has(path.basename(program));
}

/** True for Node. */
export function isNode(program: string): boolean {
  return NODE.has(path.basename(program));
}

/** True for a program whose first argument is a file that it runs. */
export function isInterpreter(program: string): boolean {
  return INTERPRETERS.has(path.basename(program));
}

/** The place among the arguments of an interpreter of the file that it runs; -1 where no word is one. */
export function scriptAt(program: string, args: readonly string[]): number {
  if (!isInterpreter(program)) return -1;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (isNode(program) && TAKES_VALUE.has(word)) at += 1;
    else if (NAMES_NO_FILE.has(word)) return -1;
    else if (!word.startsWith('-')) return at;
  }
  return -1;
}

/** The files that Node is told to load first, and the flags before them that load none. */
export function loadedFirst(args: readonly string[]): readonly string[] {
  return args.flatMap((word, at) => {
    const [, flag = '', value] = /^(--?[\w-]+)(?:=(.*))?$/su.exec(word) ?? [];
    return LOADS_FIRST.has(flag) ? [value ?? args[at + 1] ?? ''] : [];
  });
}

/**
 * The words of a program with absolute paths for those that name something in a folder: `./server.mjs`, `.`, `--root=../x`
 * and the file that an interpreter runs. A bare word is a file only there: else a repository could make one of a name. What
 * Node finds for a name (`s` is `s.js`, a folder its `main`) is named by the file, so that no other one comes before it.
 */
export function absoluteWords(words: readonly string[], folder: string): readonly string[] {
  const [program, ...args] = words;
  if (program === undefined) return [];
  const script = scriptAt(program, args);
  const found = (word: string): string | undefined => {
    const file = path.resolve(folder, word);
    if (isNode(program)) return moduleAt(file);
    return isFile(file) ? file : undefined;
  };
  return [
    program.includes('/') ? path.resolve(folder, program) : program,
    ...args.map((word, index) => {
      const [, flag = '', value = word] = /^(--?[\w-]+=)(.*)$/su.exec(word) ?? [];
      if (index === script) return found(word) ?? (isRelative(word) ? path.resolve(folder, word) : word);
      return isRelative(value) ? `${flag}${path.resolve(folder, value)}` : word;
    }),
  ];
}

/** True for a word that begins as a path from a folder does. */
export function isRelative(word: string): boolean {
  return /^\.{1,2}(?:\/|$)/u.test(word);
}

/**
 * The file that Node runs for a path; `undefined` where there is none.
 * Source: https://nodejs.org/docs/latest-v20.x/api/modules.html, "All together".
 */
function moduleAt(file: string): string | undefined {
  const { main } = manifestIn(file);
  const places = [
    ...['', '.js', '.json', '.node'].map((end) => `${file}${end}`),
    ...(typeof main === 'string'
      ? ['', '.js', '.json', '.node', '/index.js'].map((end) => `${path.resolve(file, main)}${end}`)
      : []),
    ...['index.js', 'index.json', 'index.node'].map((name) => path.join(file, name)),
  ];
  return places.find(isFile);
}

/**
 * The files that the words of a program name, each with its content, and what modules among them import by path. A file
 * that cannot be read, and one that is too large, has no content that could be trusted: it is told by its name alone.
 */
export function filesOfWords(words: readonly string[]): readonly FileContent[] {
  const [program = '', ...args] = words;
  const script = isNode(program) ? scriptAt(program, args) : -1;
  const found = new Map<string, FileContent>();
  for (const [index, word] of words.entries()) {
    const value = word.replace(/^--?[\w-]+=/u, '');
    if (!path.isAbsolute(value)) continue;
    const isScript = script >= 0 && index === script + 1;
    const file = isScript ? moduleAt(value) : value;
    if (file === undefined || !isFile(file)) continue;
    for (const one of closureOf(file, isScript)) found.set(one.path, one);
  }
  return [...found.values()];
}

const MODULES: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);

function closureOf(file: string, isModule: boolean): readonly FileContent[] {
  return isModule || MODULES.has(path.extname(file)) ? moduleClosure(file) : [contentOf(file)];
}

/** True for a file that is there. */
export function isFile(file: string): boolean {
  try {
    return lstatSync(file).isFile() || statSync(file).isFile();
  } catch {
    return false; // nothing is there
  }
}
