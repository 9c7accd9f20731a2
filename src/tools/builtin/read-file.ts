import * as z from 'zod';

import type { ApprovalRequest, Tool } from '../../core/index.js';
import { HitlError } from '../../core/index.js';
import { defineTool } from '../define-tool.js';

import { confirmStill } from './agreement.js';
import { BUILT_IN } from './origin.js';
import type { Place, Workspace } from './place.js';
import { placeOf } from './place.js';
import { readText } from './read-text.js';

/** What is looked at of a file, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;
/** What one call gives to the model, in characters. */
const MAX_CHARACTERS = 64 * 1024;

/** Reads text; asks first where the file lies outside the working directory. */
export function readFileTool(workspace: Workspace): Tool {
  return defineTool(
    {
      name: 'read_file',
      description:
        'Reads a text file. Give `fromLine` and `maxLines` to read a part of a long one. Files outside the working directory need the person’s approval.',
      input: z.object({
        path: z.string().min(1).describe('relative to the working directory, or absolute'),
        fromLine: z.int().min(1).default(1).describe('the first line to read, counted from 1'),
        maxLines: z.int().min(1).max(100_000).default(2000),
      }),
      effect: 'none',
      origin: BUILT_IN,
      approval: async ({ path }) => outsideRequest(await placeOf(path, workspace)),
    },
    async ({ path, fromLine, maxLines }, context) => {
      const place = await placeOf(path, workspace);
      const request = outsideRequest(place);
      if (request !== undefined) confirmStill(context, request);
      const read = await readText(place, MAX_BYTES);
      context.signal.throwIfAborted();
      if (read.type === 'binary') {
        throw new HitlError('TOOL_FAILED', `${place.label} is not text (${read.bytes} bytes)`);
      }
      return {
        path: place.label,
        ...part(read.text, fromLine, maxLines),
        ...(read.cut && { bytes: read.bytes, cut: true }),
      };
    },
  );
}

/** What a person is asked before something outside the working directory is read; nothing for what lies in it. */
export function outsideRequest(place: Place): ApprovalRequest | undefined {
  if (place.inside) return undefined;
  return {
    reason: 'reads outside the working directory',
    facts: { path: place.path },
    ...(place.linked && { warnings: ['a symbolic link leads there'] }),
  };
}

interface Part {
  readonly content: string;
  readonly fromLine: number;
  readonly toLine: number;
  readonly totalLines: number;
  /** The part was longer than what one call gives. */
  readonly truncated?: true;
}

function part(text: string, fromLine: number, maxLines: number): Part {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const wanted = lines.slice(fromLine - 1, fromLine - 1 + maxLines);
  const kept: string[] = [];
  let left = MAX_CHARACTERS;
  for (const line of wanted) {
    if (kept.length > 0 && line.length >= left) break;
    kept.push(line.slice(0, left));
    left -= line.length + 1;
  }
  const toLine = fromLine - 1 + kept.length;
  const endsFile = toLine === lines.length && text.endsWith('\n');
  const truncated = kept.length < wanted.length || left < -1;
  const content = kept.join('\n') + (endsFile && kept.length > 0 ? '\n' : '');
  return { content, fromLine, toLine, totalLines: lines.length, ...(truncated && { truncated }) };
}
