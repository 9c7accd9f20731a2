import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { projectFiles, root } from './project.js';

const CODE = /(?<![\w`'/-])([A-Z]{1,2}-?\d{1,3})(?![\w-])(?: of `([\w./-]+\.ts)`)?(?! controls?\b)/g;
const COMMENT = /(?:\/\/|^\s*\/?\*).*$/;
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The codes that a text defines: list items at the head of a file, or first cells of a table. */
function defined(text: string): Set<string> {
  const items = text.matchAll(/^\s*(?:\/\/|\*)\s+([A-Z]{1,2}-?\d{1,3}) [A-Z`]/gm);
  const rows = text.matchAll(/^\| \**([A-Z]{1,2}-?\d{1,3})\** +\|/gm);
  const headings = text.matchAll(/^#+ ([A-Z]{1,2}-?\d{1,3})\b/gm);
  return new Set([...items, ...rows, ...headings].map((found) => found[1] ?? ''));
}

const shared = new Set(
  ['docs/rules.md', 'docs/guarantees.md', 'docs/faults.md'].flatMap((page) => [...defined(read(page))]),
);

/** Every code that a comment cites and nothing defines, as `<file>:<line> <code>`. */
function undefinedCodes(file: string, text: string): string[] {
  const own = defined(text);
  return text.split('\n').flatMap((line, index) =>
    [...(COMMENT.exec(line)?.[0] ?? '').matchAll(CODE)].flatMap(([, code = '', elsewhere]) => {
      const home = elsewhere === undefined ? own : defined(read(path.join(path.dirname(file), elsewhere)));
      return home.has(code) || shared.has(code) ? [] : [`${file}:${String(index + 1)} ${code}`];
    }),
  );
}

describe('codes in comments', () => {
  const files = projectFiles().filter((file) =>
    /^(src|sessions|commands|bin|scripts\/faults|bench)\/.*\.(ts|mjs)$/.test(file),
  );

  test('each code that a comment cites is defined in its file, in the file that it names, or in docs/', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(files.flatMap((file) => undefinedCodes(file, read(file)))).toEqual([]);
  });

  test('a code without a definition is found', () => {
    const text = '// A1 Holds.\n/** Kept by A1, and by Z9 (G11). */\nconst code = "Y7";\n';
    expect(undefinedCodes('src/core/planted.ts', text)).toEqual(['src/core/planted.ts:2 Z9']);
  });
});
