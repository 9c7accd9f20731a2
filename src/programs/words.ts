import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FileContent } from '../files/index.js';
import { contentOf, moduleClosure } from '../files/index.js';

/** Programs whose first argument is a file that they run. */
const INTERPRETERS: ReadonlySet<string> = new Set(
  'node nodejs deno bun tsx ts-node python python3 pypy ruby perl php lua sh bash dash zsh'.split(' '),
);

/** Arguments of an interpreter behind which stands a module or a program’s text. */
const NAMES_NO_FILE: ReadonlySet<string> = new Set('-m -c -e -p -r --eval --print run'.split(' '));

/** Programs that run a package by its name: a name among their words is never taken for a file. */
const PACKAGE_RUNNERS: ReadonlySet<string> = new Set('npx bunx uvx pipx npm pnpm yarn uv'.split(' '));

/** True for a program that fetches what it runs, or takes it from the folder that it stands in. */
export function runsPackages(program: string): boolean {
  return PACKAGE_RUNNERS.has(path.basename(program));
}

/**
 * The words of a program with absolute paths for those that name something in a folder: `./server.mjs`, `.`, `--root=../x`
 * and the file that an interpreter runs. A bare word is a file only there: else a repository could make one of a name.
 */
export function absoluteWords(words: readonly string[], folder: string): readonly string[] {
  const [program = '', ...args] = words;
  const isInterpreter =
    INTERPRETERS.has(path.basename(program)) && !args.some((word) => NAMES_NO_FILE.has(word));
  const script = isInterpreter ? args.findIndex((word) => !word.startsWith('-')) : -1;
  return [
    program.includes('/') ? path.resolve(folder, program) : program,
    ...args.map((word, index) => {
      const [, flag = '', value = word] = /^(--?[\w-]+=)(.*)$/su.exec(word) ?? [];
      if (isRelative(value)) return `${flag}${path.resolve(folder, value)}`;
      const isScript = index === script && !path.isAbsolute(word) && isFile(path.resolve(folder, word));
      return isScript ? path.resolve(folder, word) : word;
    }),
  ];
}

function isRelative(word: string): boolean {
  return /^\.{1,2}(?:\/|$)/u.test(word);
}

/**
 * The files that the words of a program name, each with its content, and what modules among them import by path. A file
 * that cannot be read, and one that is too large, has no content that could be trusted: it is told by its name alone.
 */
export function filesOfWords(words: readonly string[]): readonly FileContent[] {
  const named = words.flatMap((word) => {
    const value = word.replace(/^--?[\w-]+=/u, '');
    return path.isAbsolute(value) && isFile(value) ? [value] : [];
  });
  const found = new Map<string, FileContent>();
  for (const file of named) for (const one of closureOf(file)) found.set(one.path, one);
  return [...found.values()];
}

const MODULES: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);

function closureOf(file: string): readonly FileContent[] {
  return MODULES.has(path.extname(file)) ? moduleClosure(file) : [contentOf(file)];
}

function isFile(file: string): boolean {
  try {
    return lstatSync(file).isFile() || statSync(file).isFile();
  } catch {
    return false; // nothing is there
  }
}
