import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, isAbsolute, resolve, sep } from 'node:path';
import type { TextPart } from '../../src/core/index.js';
import { count, escapeText, fromHome, maskText, textPart } from '../../src/core/index.js';
import type { Offer } from '../../src/human/index.js';
import { mentionedPaths } from '../../src/human/index.js';
import type { Io } from '../host/index.js';
import { secretValues } from '../host/index.js';

/** More of one file is not attached, in bytes, and no more files. */
const MOST_BYTES = 256 * 1024;
const MOST_FILES = 10;
const MOST_OFFERS = 50;

/** The parts that were attached to a text, and what to say of it. */
export interface Attached {
  readonly parts: readonly TextPart[];
  /** Safe for a terminal. */
  readonly notices: readonly string[];
}

/** The files that a text names behind an `@`, each as a part of its own; what names no file stays a word of the text. */
export async function attachedFiles(io: Pick<Io, 'cwd' | 'home' | 'env'>, text: string): Promise<Attached> {
  const parts: TextPart[] = [];
  const notices: string[] = [];
  for (const named of mentionedPaths(text).slice(0, MOST_FILES)) {
    const found = await firstReadable(io, [named, named.replace(/[.,;:!?)]+$/u, '')]);
    if (found === undefined) continue;
    const { path, content } = found;
    if (typeof content === 'string') notices.push(`not attached: ${escapeText(path)} ${content}`);
    else {
      const { value, count: secrets } = maskText(content.text, secretValues(io.env));
      const lines = value.split('\n').length - (value.endsWith('\n') ? 1 : 0);
      parts.push(textPart(`The file ${path}:\n${fenced(value)}`));
      const masked = secrets === 0 ? '' : `, ${count(secrets, 'secret')} masked`;
      notices.push(`attached ${escapeText(path)} (${count(lines, 'line')}${masked})`);
    }
  }
  return { parts, notices };
}

type Content = { readonly text: string } | string;

async function firstReadable(
  io: Pick<Io, 'cwd' | 'home'>,
  names: readonly string[],
): Promise<{ readonly path: string; readonly content: Content } | undefined> {
  for (const path of names) {
    const content = await contentOf(placeOf(io, path));
    if (content !== undefined) return { path, content };
  }
  return undefined;
}

/** The text of a file, why it is not attached, or nothing where there is none. */
async function contentOf(file: string): Promise<Content | undefined> {
  try {
    await using handle = await open(file, 'r');
    const found = await handle.stat();
    if (!found.isFile()) return undefined;
    if (found.size > MOST_BYTES) return `has more than ${MOST_BYTES / 1024} kB`;
    const text = await handle.readFile('utf8');
    return text.includes('\0') ? 'is no text' : { text };
  } catch {
    return undefined; // no such file, or not for this user: the word stays a word
  }
}

function placeOf({ cwd, home }: Pick<Io, 'cwd' | 'home'>, path: string): string {
  const given = fromHome(path, home);
  return isAbsolute(given) ? given : resolve(cwd, given);
}

/** A text between fences that it does not hold itself. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** The files that the `@` at the end of a line may become. */
export function fileOffers(io: Pick<Io, 'cwd' | 'home'>): (line: string) => readonly Offer[] {
  return (line) => {
    const [, begun] = /(?:^|\s)@([^\s"]*)$/u.exec(line) ?? [];
    if (begun === undefined) return [];
    const head = line.slice(0, line.length - begun.length);
    const folder = begun.endsWith('/') ? begun : dirname(begun) === '.' ? '' : `${dirname(begun)}/`;
    const start = begun.slice(folder.length);
    return entriesOf(placeOf(io, folder === '' ? '.' : folder))
      .filter(({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
      .filter(({ name }) => !/\s/u.test(name))
      .slice(0, MOST_OFFERS)
      .map(({ name, isFolder }) => {
        const path = `${folder}${name}${isFolder ? sep : ''}`;
        return { line: head + path, label: `@${escapeText(path)}`, help: isFolder ? 'folder' : '' };
      })
      .filter((offer) => offer.line !== line);
  };
}

function entriesOf(folder: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    return []; // no such folder: there is nothing to offer
  }
}
