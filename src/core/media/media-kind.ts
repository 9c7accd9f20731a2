/** The kinds of files that a model may look at. */
export type MediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'application/pdf';

/** A file as its bytes say what it is, whatever its name says. */
export interface MediaKind {
  readonly type: MediaType;
  /** Pixels; absent where they are not at the start, and of a PDF. */
  readonly width?: number;
  readonly height?: number;
}

/** The bytes at the start of a file that tell its kind; the size of a photograph may stand behind a small picture of it. */
export const MEDIA_START = 192 * 1024;

/** Tells the kind of a file from its start; `undefined` for one that no model looks at. */
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

/** A picture without an extent is none. */
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

/** Markers without a length of their own, and those of frames, which tell the size. */
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
