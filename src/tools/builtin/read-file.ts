import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';

import * as z from 'zod/mini';

import type { JsonObject, Tool } from '../../core/index.js';
import { HitlError, MEDIA_START, mediaKind, mediaPart, mediaProblem } from '../../core/index.js';
import type { Workspace } from '../../files/index.js';
import { isBinary, pieces, placeOf, startOf, withFile } from '../../files/index.js';
import { defineTool } from '../define-tool.js';
import type { MultipartResult } from '../defined-tool.js';

import { confirmStill } from './agreement.js';
import type { FilePart, WantedLines } from './file-part.js';
import { PartTaker } from './file-part.js';
import { BUILT_IN } from './builtin-options.js';
import { readFacts, readRequest } from './read-request.js';

/** Maximum number of bytes to read from a file. */
const MAX_BYTES = 10 * 1024 * 1024;
/** Minimum number of bytes to read so that lines can be counted, even if the requested part ends sooner. */
const COUNTED_BYTES = 1024 * 1024;
/** Maximum length of text per call, in characters. */
const MAX_CHARACTERS = 64 * 1024;

/**
 * Creates a tool that reads a file. It asks first if the file is outside the working directory or often
 * contains keys.
 */
export function readFileTool(workspace: Workspace): Tool {
  return defineTool(
    {
      name: 'read_file',
      description:
        'Reads a text file, or shows you an image or a PDF. Use `fromLine` and `maxLines` to read part of a long file. Files outside the working directory, and files that often contain keys, need the user’s approval.',
      input: z.object({
        path: z.string().check(z.minLength(1), z.describe('relative to the working directory, or absolute')),
        fromLine: z
          ._default(z.int().check(z.minimum(1)), 1)
          .check(z.describe('the first line to read, counted from 1')),
        maxLines: z._default(z.int().check(z.minimum(1), z.maximum(100_000)), 2000),
      }),
      effect: 'none',
      multipart: true,
      origin: BUILT_IN,
      approval: async ({ path }) => readRequest(await placeOf(path, workspace)),
      facts: async ({ path }) => readFacts(await placeOf(path, workspace)),
    },
    async ({ path, fromLine, maxLines }, context) => {
      const place = await placeOf(path, workspace);
      const request = readRequest(place);
      if (request !== undefined) confirmStill(context, request);
      return withFile(place, async (handle, stats) => {
        const bytes = Number(stats.size);
        const media = await takeMedia(handle, { bytes, label: place.label });
        if (media !== undefined) return media;
        const wanted = { fromLine, maxLines, maxCharacters: MAX_CHARACTERS };
        const { part, end } = await takePart(handle, wanted, context.signal);
        switch (end) {
          case 'binary':
            throw new HitlError('TOOL_FAILED', `${place.label} is not text (${bytes} bytes)`);
          case 'enough':
            return { output: { path: place.label, ...part, bytes, more: true } };
          case 'limit':
            return { output: { path: place.label, ...part, ...(bytes > MAX_BYTES && { bytes, cut: true }) } };
        }
      });
    },
  );
}

/**
 * Reads an image or PDF, detected by its content; returns `undefined` for other files. @throws HitlError
 * TOOL_FAILED if the file is too large.
 */
async function takeMedia(
  handle: FileHandle,
  { bytes, label }: { readonly bytes: number; readonly label: string },
): Promise<MultipartResult<JsonObject> | undefined> {
  const kind = mediaKind(await startOf(handle, Math.min(bytes, MEDIA_START)));
  if (kind === undefined) return undefined;
  const problem = mediaProblem(kind, bytes);
  if (problem !== undefined) throw new HitlError('TOOL_FAILED', `${label} ${problem}`);
  const part = mediaPart(await startOf(handle, bytes), kind, basename(label));
  return { output: { path: label, bytes, ...kind }, content: [part] };
}

interface Taken {
  readonly part: FilePart;
  /**
   * The reason that reading stopped: the file is not text, enough was read, or the end of the file or the
   * limit was reached.
   */
  readonly end: 'binary' | 'enough' | 'limit';
}

/** Reads part of a file. The file is read in pieces, and only as far as needed. */
async function takePart(handle: FileHandle, wanted: WantedLines, signal: AbortSignal): Promise<Taken> {
  const taker = new PartTaker(wanted);
  // The mark at the start of a file is given as it is.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let read = 0;
  for await (const piece of pieces(handle, MAX_BYTES)) {
    signal.throwIfAborted();
    if (read === 0 && isBinary(piece)) return { part: taker.end(false), end: 'binary' };
    read += piece.length;
    taker.push(decoder.decode(piece, { stream: true }));
    if (taker.isComplete && read >= COUNTED_BYTES) return { part: taker.end(false), end: 'enough' };
  }
  taker.push(decoder.decode());
  return { part: taker.end(true), end: 'limit' };
}
