import type { MediaKind } from './media-kind.js';
import { kindWords, sizeWords } from './media-part.js';

/** The most that providers take of an image and of a PDF, in bytes; a PDF fits into a record of the journal (G8) too. */
const MOST_BYTES = { image: 5_000_000, PDF: 10_000_000 };
/** Pixels of a side. */
const MOST_PIXELS = 8_000;

/** Says why a model is not shown a file; `undefined` where it may be. */
export function mediaProblem(kind: MediaKind, bytes: number): string | undefined {
  const { type, width = 0, height = 0 } = kind;
  const most = type === 'application/pdf' ? MOST_BYTES.PDF : MOST_BYTES.image;
  if (bytes > most)
    return `is ${kindWords(kind) === 'PDF' ? 'a PDF' : 'an image'} of more than ${sizeWords(most)}`;
  if (width > MOST_PIXELS || height > MOST_PIXELS)
    return `has ${width}×${height} pixels, more than ${MOST_PIXELS} on a side`;
  return undefined;
}
