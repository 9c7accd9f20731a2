import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, isAbsolute, resolve, sep } from 'node:path';
import type { MediaKind, Part } from '../../src/core/index.js';
import {
  count,
  escapeText,
  extentWords,
  fenced,
  fromHome,
  HitlError,
  kindWords,
  maskText,
  MEDIA_START,
  mediaKind,
  mediaPart,
  mediaProblem,
  sizeWords,
  textPart,
} from '../../src/core/index.js';
import type { Offer } from '../../src/human/index.js';
import { mentionedPaths } from '../../src/human/index.js';
import type { RunFlags } from '../flags/options.js';
import { startOf } from '../../src/files/index.js';
import type { Io } from '../host/index.js';
import { secretValues } from '../host/index.js';
import type { CreatedModel } from '../../src/models/index.js';
import { LARGEST_ENTRY } from './size-limits.js';

/** Maximum size of one attached text in bytes, and maximum number of attached files. */
const MOST_BYTES = 256 * 1024;
const MOST_FILES = 10;
const MOST_OFFERS = 50;

/** Attachments as message parts, with notices about them. */
export interface Attached {
  readonly parts: readonly Part[];
  /** Safe for a terminal. */
  readonly notices: readonly string[];
}

/** The model that the files are attached for. */
type Reader = Pick<CreatedModel, 'takesMedia'>;

/** Attaches files that a message mentions with `@`. Other words that start with `@` are left as plain text. */
export async function attachedFiles(
  io: Pick<Io, 'cwd' | 'home' | 'env'>,
  text: string,
  model: Reader = {},
): Promise<Attached> {
  const names = mentionedPaths(text).slice(0, MOST_FILES);
  const room = { characters: LARGEST_ENTRY - MEDIA_MARGIN };
  const all: Attached[] = [];
  for (const named of names) {
    const one = await firstReadable(io, [named, named.replace(/[.,;:!?)]+$/u, '')], { model, room });
    if (one !== undefined) all.push(one);
  }
  return joined(all);
}

/**
 * Returns the attachments of the first turn. @throws HitlError USAGE for a file that cannot be attached, or
 * if there is no first turn.
 */
export async function attachments(
  io: Pick<Io, 'cwd' | 'home' | 'env'>,
  { attach: paths = [] }: Pick<RunFlags, 'attach'>,
  { prompt, model }: { readonly prompt: string | undefined; readonly model: Reader },
): Promise<Attached> {
  if (paths.length > 0 && prompt === undefined)
    throw new HitlError('USAGE', '`--attach` requires a message', {
      hint: 'add one, or mention the file in a chat message: @shot.png',
    });
  const room = { characters: LARGEST_ENTRY - MEDIA_MARGIN };
  const all: Attached[] = [];
  for (const path of paths) {
    const one = await firstReadable(io, [path], { model, room });
    if (one !== undefined && one.parts.length > 0) all.push(one);
    else
      throw new HitlError('USAGE', one?.notices[0] ?? `file to attach not found: \`${path}\``, {
        hint: 'check the --attach path',
      });
  }
  return joined(all);
}

/** Named text or bytes from another program. */
export interface HandedOver {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** Attaches content from another program. The same limits apply as for files. */
export function attachedContents(
  io: Pick<Io, 'env'>,
  contents: readonly HandedOver[],
  model: Reader = {},
): Attached {
  const room = { characters: LARGEST_ENTRY - MEDIA_MARGIN };
  const most = contents.slice(0, MOST_FILES);
  const all = most.map(({ name, content }) => attachedFile(io, name, handedOver(content), { model, room }));
  const left = contents.slice(MOST_FILES).map(({ name }): Attached => {
    return { parts: [], notices: [`not attached: ${escapeText(name)} (maximum ${MOST_FILES} files)`] };
  });
  return joined([...all, ...left]);
}

function handedOver(content: string | Uint8Array): Content {
  if (typeof content === 'string') {
    const isTooLong = Buffer.byteLength(content) > MOST_BYTES;
    if (isTooLong) return { type: 'refused', why: `is larger than ${MOST_BYTES / 1024} kB` };
    return content.includes('\0') ? { type: 'refused', why: 'is not text' } : { type: 'text', text: content };
  }
  const kind = mediaKind(content.subarray(0, MEDIA_START));
  if (kind === undefined) return { type: 'refused', why: 'is not an image that models can view' };
  const why = mediaProblem(kind, content.length);
  return why === undefined ? { type: 'media', kind, bytes: content } : { type: 'refused', why };
}

function joined(all: readonly Attached[]): Attached {
  return {
    parts: all.flatMap(({ parts }) => parts),
    notices: all.flatMap(({ notices }) => notices),
  };
}

/** Characters reserved for a message's own text. */
const MEDIA_MARGIN = 500_000;

interface Attaching {
  readonly model: Reader;
  /** Number of characters that can still be attached to the message. */
  readonly room: { characters: number };
}

function attachedFile(
  { env }: Pick<Io, 'env'>,
  path: string,
  content: Content,
  { model, room }: Attaching,
): Attached {
  const name = escapeText(path);
  const refused = (why: string): Attached => {
    return { parts: [], notices: [`not attached: ${name} ${why}`] };
  };
  switch (content.type) {
    case 'refused':
      return refused(content.why);
    case 'media': {
      const { kind, bytes } = content;
      if (model.takesMedia === false)
        return refused(
          `is ${kind.type === 'application/pdf' ? 'a PDF' : 'an image'}, but this model only reads text`,
        );
      const part = mediaPart(bytes, kind, basename(path));
      if (part.url.length > room.characters) return refused('makes the message too large');
      room.characters -= part.url.length;
      const facts = [kindWords(kind), extentWords(kind), sizeWords(bytes.length)].filter(
        (fact) => fact !== '',
      );
      return {
        parts: [textPart(`The file ${path}:`), part],
        notices: [`attached ${name} (${facts.join(' ')})`],
      };
    }
    case 'text': {
      const { value, count: secrets } = maskText(content.text, secretValues(env));
      const lines = value.split('\n').length - (value.endsWith('\n') ? 1 : 0);
      const masked = secrets === 0 ? '' : `, ${count(secrets, 'secret')} masked`;
      return {
        parts: [textPart(`The file ${path}:\n${fenced(value)}`)],
        notices: [`attached ${name} (${count(lines, 'line')}${masked})`],
      };
    }
  }
}

type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media'; readonly kind: MediaKind; readonly bytes: Uint8Array }
  | { readonly type: 'refused'; readonly why: string };

/**
 * Attaches the first of these files that exists, or returns a notice if it cannot be attached. Returns
 * `undefined` if none exists.
 */
async function firstReadable(
  io: Pick<Io, 'cwd' | 'home' | 'env'>,
  names: readonly string[],
  attaching: Attaching,
): Promise<Attached | undefined> {
  for (const path of names) {
    const content = await contentOf(placeOf(io, path));
    if (content !== undefined) return attachedFile(io, path, content, attaching);
  }
  return undefined;
}

/**
 * Returns the text of a file, its bytes if a model can view them, or the reason that it cannot be attached.
 * Returns `undefined` if the file does not exist.
 */
async function contentOf(file: string): Promise<Content | undefined> {
  try {
    await using handle = await open(file, 'r');
    const found = await handle.stat();
    if (!found.isFile()) return undefined;
    const kind = mediaKind(await startOf(handle, Math.min(found.size, MEDIA_START)));
    if (kind !== undefined) {
      const why = mediaProblem(kind, found.size);
      return why === undefined
        ? { type: 'media', kind, bytes: await startOf(handle, found.size) }
        : { type: 'refused', why };
    }
    if (found.size > MOST_BYTES) return { type: 'refused', why: `is larger than ${MOST_BYTES / 1024} kB` };
    const text = (await startOf(handle, found.size)).toString('utf8');
    return text.includes('\0') ? { type: 'refused', why: 'is not text' } : { type: 'text', text };
  } catch {
    return undefined; // no such file, or not for this user: the word stays a word
  }
}

function placeOf({ cwd, home }: Pick<Io, 'cwd' | 'home'>, path: string): string {
  const given = fromHome(path, home);
  return isAbsolute(given) ? given : resolve(cwd, given);
}

/** Returns a function that suggests files for the `@` at the end of a line. */
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
