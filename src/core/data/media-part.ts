import { isJsonObject } from './json.js';
import type { MediaPart, Part } from './message.js';
import { count, plainLine } from './plain-line.js';

const DATA_URL = /^data:([^;,]*)[^,]*?(;base64)?,/su;
/** Maximum width of a name or URL, in columns. */
const LONGEST_NAME = 80;

/** File types that a model may view. */
type MediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'application/pdf';

/** A file's type, detected from its bytes regardless of its name. */
export interface MediaKind {
  readonly type: MediaType;
  /** Dimensions in pixels. Absent for a PDF, or if the dimensions are not near the start of the file. */
  readonly width?: number;
  readonly height?: number;
}

/** Number of bytes needed to detect a file's type. A photo's dimensions may follow an embedded thumbnail. */
export const MEDIA_START = 192 * 1024;

/** Detects a file's type from its first bytes; `undefined` if models cannot view it. */
export function mediaKind(start: Uint8Array): MediaKind | undefined {
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  if (latin(start, 0, 5) === '%PDF-') return { type: 'application/pdf' };
  if (latin(start, 0, 8) === '\x89PNG\r\n\x1a\n' && latin(start, 12, 16) === 'IHDR' && start.length >= 24)
    return sized('image/png', view.getUint32(16), view.getUint32(20));
  // A text that begins so has no zero where a picture has its colours.
  if (/^GIF8[79]a$/u.test(latin(start, 0, 6)) && start.length >= 13 && start.subarray(11, 13).includes(0))
    return sized('image/gif', view.getUint16(6, true), view.getUint16(8, true));
  if (latin(start, 0, 4) === 'RIFF' && latin(start, 8, 12) === 'WEBP') return webp(view, start);
  if (latin(start, 0, 3) === '\xff\xd8\xff') return jpeg(view);
  return undefined;
}

function latin(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

/**
 * Returns an image's type and dimensions; `undefined` if a dimension is zero, because such an image is
 * invalid.
 */
function sized(type: MediaType, width: number, height: number): MediaKind | undefined {
  return width > 0 && height > 0 ? { type, width, height } : undefined;
}

function webp(view: DataView, start: Uint8Array): MediaKind {
  const type = 'image/webp';
  if (start.length < 30) return { type };
  switch (latin(start, 12, 16)) {
    case 'VP8 ':
      return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return {
        type,
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(26, true) >>> 8) + 1,
      };
    default:
      return { type };
  }
}

/** JPEG markers: those without a length, and frame markers, which contain the image dimensions. */
const BARE = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
const FRAME = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpeg(view: DataView): MediaKind {
  const type = 'image/jpeg';
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (BARE(marker)) at += 2;
    else if (FRAME(marker)) return { type, width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return { type };
}

/** Creates a part with the file's bytes inline, as sent to a model and saved in the session. */
export function mediaPart(bytes: Uint8Array, { type }: MediaKind, name: string): MediaPart {
  const url = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  return { type: 'media', url, contentType: type, metadata: { file: { name } } };
}

/**
 * Detects an attachment's type from its bytes; `undefined` if they are not inline, or if the type is unknown.
 */
export function kindOfMedia({ url }: Pick<MediaPart, 'url'>): MediaKind | undefined {
  const [head, , inBase64] = headOf(url);
  if (head === undefined || inBase64 === undefined) return undefined;
  const start = url.slice(head.length, head.length + Math.ceil(MEDIA_START / 3) * 4);
  return mediaKind(Buffer.from(start, 'base64'));
}

/** Formats an attachment as one line: `[image shot.png 640×480 12 kB]`. Safe for a terminal. */
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

/** Formats the attachments of a tool output, one line each. */
export function mediaOf({ content = [] }: { readonly content?: readonly Part[] }): readonly string[] {
  return content.flatMap((part) => (part.type === 'media' ? [mediaWords(part)] : []));
}

/** `image` or `PDF`. */
export function kindWords({ type }: MediaKind): string {
  return type === 'application/pdf' ? 'PDF' : 'image';
}

/** Formats dimensions: `640×480`. Empty if unknown. */
export function extentWords({ width, height }: Partial<MediaKind> = {}): string {
  return width === undefined || height === undefined ? '' : `${width}×${height}`;
}

/** Formats a size: `12 kB`, `1.5 MB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte');
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Parses the start of a data URL. Returns the match, the media type, and the base64 marker if present. */
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

/**
 * Providers' size limits for an image and a PDF, in bytes. A PDF of that size also fits in a journal record
 * (G8).
 */
const MOST_BYTES = { image: 5_000_000, PDF: 10_000_000 };
/** Maximum pixels per side. */
const MOST_PIXELS = 8_000;

/** Returns the reason that a file cannot be sent to a model, or `undefined` if it can. */
export function mediaProblem(kind: MediaKind, bytes: number): string | undefined {
  const { type, width = 0, height = 0 } = kind;
  const most = type === 'application/pdf' ? MOST_BYTES.PDF : MOST_BYTES.image;
  if (bytes > most)
    return `is ${kindWords(kind) === 'PDF' ? 'a PDF' : 'an image'} larger than ${sizeWords(most)}`;
  if (width > MOST_PIXELS || height > MOST_PIXELS)
    return `has ${width}×${height} pixels; the maximum is ${MOST_PIXELS} per side`;
  return undefined;
}
