import type { FileHandle } from 'node:fs/promises';

import * as z from 'zod';

import type { Tool } from '../../core/index.js';
import { HitlError } from '../../core/index.js';
import type { Workspace } from '../../files/index.js';
import { isBinary, pieces, placeOf, withFile } from '../../files/index.js';
import { defineTool } from '../define-tool.js';

import { confirmStill } from './agreement.js';
import type { FilePart, WantedLines } from './file-part.js';
import { PartTaker } from './file-part.js';
import { BUILT_IN } from './origin.js';
import { readFacts, readRequest } from './read-request.js';

/** The part of a file that is looked at, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;
/** The stretch beyond the wanted part in which lines are counted, in bytes. */
const COUNTED_BYTES = 1024 * 1024;
/** The part that one call gives to the model, in characters. */
const MAX_CHARACTERS = 64 * 1024;

/** Reads text; asks first where the file lies outside the working directory, or often holds keys. */
export function readFileTool(workspace: Workspace): Tool {
  return defineTool(
    {
      name: 'read_file',
      description:
        'Reads a text file. Give `fromLine` and `maxLines` to read a part of a long one. Files outside the working directory, and those that often hold keys, need the person’s approval.',
      input: z.object({
        path: z.string().min(1).describe('relative to the working directory, or absolute'),
        fromLine: z.int().min(1).default(1).describe('the first line to read, counted from 1'),
        maxLines: z.int().min(1).max(100_000).default(2000),
      }),
      effect: 'none',
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
        const wanted = { fromLine, maxLines, maxCharacters: MAX_CHARACTERS };
        const { part, end } = await takePart(handle, wanted, context.signal);
        switch (end) {
          case 'binary':
            throw new HitlError('TOOL_FAILED', `${place.label} is not text (${bytes} bytes)`);
          case 'enough':
            return { path: place.label, ...part, bytes, more: true };
          case 'limit':
            return { path: place.label, ...part, ...(bytes > MAX_BYTES && { bytes, cut: true }) };
        }
      });
    },
  );
}

interface Taken {
  readonly part: FilePart;
  /** The reason of the end: not text, all that is wanted was read, or the end of the file or of what is looked at. */
  readonly end: 'binary' | 'enough' | 'limit';
}

/** Reads on only as long as it takes: of a long file not more than the part, and of none more than a piece at a time. */
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
