import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FileContent } from '../files/index.js';
import { contentOf, manifestIn, moduleClosure } from '../files/index.js';

/** Node, whose module loading can be followed. Other runtimes read settings from the folder first. */
const NODE: ReadonlySet<string> = new Set(['node', 'nodejs']);

/** Programs whose first argument is a script to run. */
const INTERPRETERS: ReadonlySet<string> = new Set([
  ...NODE,
  ...'deno bun tsx ts-node python python3 pypy ruby perl php lua sh bash dash zsh'.split(' '),
]);

/** Interpreter arguments that are followed by a module name or program text instead of a file. */
const NAMES_NO_FILE: ReadonlySet<string> = new Set('-m -c -e -p -r --eval --print run'.split(' '));

/** Node arguments followed by a module to preload, and arguments followed by any value. */
const LOADS_FIRST: ReadonlySet<string> = new Set(
  '-r --require --import --loader --experimental-loader'.split(' '),
);
const TAKES_VALUE: ReadonlySet<string> = new Set([...LOADS_FIRST, '-C', '--conditions', '--env-file']);

/** Programs that run a package by name. A bare name among their arguments is never a file. */
const PACKAGE_RUNNERS: ReadonlySet<string> = new Set('npx bunx uvx pipx npm pnpm yarn uv'.split(' '));

/** Whether a program runs packages that it downloads or takes from its folder. */
export function runsPackages(program: string): boolean {
  return PACKAGE_RUNNERS.has(path.basename(program));
}

/** Whether the program is Node. */
export function isNode(program: string): boolean {
  return NODE.has(path.basename(program));
}

/** Whether the program's first argument is a script to run. */
export function isInterpreter(program: string): boolean {
  return INTERPRETERS.has(path.basename(program));
}

/** Returns the index of an interpreter's script among its arguments; -1 if there is no script. */
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

/** Returns the modules that Node preloads. */
export function loadedFirst(args: readonly string[]): readonly string[] {
  return args.flatMap((word, at) => {
    const [, flag = '', value] = /^(--?[\w-]+)(?:=(.*))?$/su.exec(word) ?? [];
    return LOADS_FIRST.has(flag) ? [value ?? args[at + 1] ?? ''] : [];
  });
}

/**
 * Makes the paths in a command absolute: `./server.mjs`, `.`, `--root=../x` and an interpreter's script. A
 * bare word is treated as a file only if it is the script; otherwise a repository could change its meaning by
 * adding a file with that name. A script name that Node resolves (`s` to `s.js`, a folder to its `main`) is
 * replaced by the resolved file, so that no other file can take precedence.
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

/** Whether a word is a path that starts with `.` or `..`. */
export function isRelative(word: string): boolean {
  return /^\.{1,2}(?:\/|$)/u.test(word);
}

/**
 * Returns the file that Node runs for a path; `undefined` if there is none. Source:
 * https://nodejs.org/docs/latest-v20.x/api/modules.html, "All together".
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
 * Returns the files named in a command, and the files that they import by path, with their content. An
 * unreadable or oversized file is returned without content.
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

/** Whether the path is an existing file. */
export function isFile(file: string): boolean {
  try {
    return lstatSync(file).isFile() || statSync(file).isFile();
  } catch {
    return false; // nothing is there
  }
}
