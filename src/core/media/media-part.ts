import { isJsonObject } from '../json/index.js';
import type { MediaPart, Part } from '../message/index.js';
import { count, plainLine } from '../text/index.js';
import type { MediaKind } from './media-kind.js';
import { MEDIA_START, mediaKind } from './media-kind.js';

const DATA_URL = /^data:([^;,]*)[^,]*?(;base64)?,/su;
/** Columns of a name, or of an address. */
const LONGEST_NAME = 80;

/** A file that is at hand as it is sent to a model and kept in the session: its bytes stand in the part itself. */
export function mediaPart(bytes: Uint8Array, { type }: MediaKind, name: string): MediaPart {
  const url = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  return { type: 'media', url, contentType: type, metadata: { file: { name } } };
}

/** Tells the kind of an attachment from its bytes; `undefined` where they are elsewhere, or of no kind that is known. */
export function kindOfMedia({ url }: Pick<MediaPart, 'url'>): MediaKind | undefined {
  const [head, , inBase64] = headOf(url);
  if (head === undefined || inBase64 === undefined) return undefined;
  const start = url.slice(head.length, head.length + Math.ceil(MEDIA_START / 3) * 4);
  return mediaKind(Buffer.from(start, 'base64'));
}

/** An attachment in one line: `[image shot.png 640×480 12 kB]`. Safe for a terminal. */
export function mediaWords(part: Pick<MediaPart, 'url' | 'contentType' | 'metadata'>): string {
  const { url, contentType, metadata } = part;
  const kind = kindOfMedia(part);
  const file = metadata?.['file'];
  const name = isJsonObject(file) && typeof file['name'] === 'string' ? file['name'] : '';
  const [, said = ''] = headOf(url);
  const type = contentType ?? (said === '' ? 'file' : said);
  const what = kind === undefined ? plainLine(type, LONGEST_NAME) : kindWords(kind);
  const where = url.startsWith('data:') ? sizeWords(bytesOf(url)) : plainLine(url, LONGEST_NAME);
  const facts = [what, plainLine(name, LONGEST_NAME), extentWords(kind), where];
  return `[${facts.filter((fact) => fact !== '').join(' ')}]`;
}

/** The attachments of what a tool gave, a line each. */
export function mediaOf({ content = [] }: { readonly content?: readonly Part[] }): readonly string[] {
  return content.flatMap((part) => (part.type === 'media' ? [mediaWords(part)] : []));
}

/** `image` or `PDF`. */
export function kindWords({ type }: MediaKind): string {
  return type === 'application/pdf' ? 'PDF' : 'image';
}

/** `640×480`; empty where it is not known. */
export function extentWords({ width, height }: Partial<MediaKind> = {}): string {
  return width === undefined || height === undefined ? '' : `${width}×${height}`;
}

/** `12 kB`, `1.5 MB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte');
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The beginning of an address that holds its data: all of it, its type, and whether it is in base64. */
function headOf(url: string): readonly (string | undefined)[] {
  return DATA_URL.exec(url.slice(0, 200)) ?? [];
}

function bytesOf(url: string): number {
  const [head = '', , inBase64] = headOf(url);
  const length = url.length - head.length;
  if (inBase64 === undefined) return length;
  const padding = url.endsWith('==') ? 2 : url.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((length * 3) / 4) - padding);
}
