import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Page } from './pages.js';

const root = path.resolve(import.meta.dirname, '../..');

/** The relative links of a page that lead to no file, or to no heading of one. */
export function brokenLinks({ file, text }: Page): readonly string[] {
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].flatMap(
    ({ 1: target = '', 2: anchor }) => {
      const to = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
      if (!existsSync(path.join(root, to))) return [`${file}: links to ${target}, which is not there`];
      if (anchor === undefined || !to.endsWith('.md')) return [];
      const there = anchorsOf(to === file ? text : readFileSync(path.join(root, to), 'utf8'));
      return there.has(anchor) ? [] : [`${file}: links to #${anchor} of ${to}, which has no such heading`];
    },
  );
}

/** The anchors that GitHub gives to the headings of a text. */
function anchorsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of text.replace(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const base = plain
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let anchor = base;
    for (let count = 1; found.has(anchor); count += 1) anchor = `${base}-${count}`;
    found.add(anchor);
  }
  return found;
}
