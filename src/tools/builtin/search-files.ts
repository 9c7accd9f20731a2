import { stat } from 'node:fs/promises';
import path from 'node:path';

import * as z from 'zod';

import type { Clock, Tool } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import { defineTool } from '../define-tool.js';

import { confirmStill } from './agreement.js';
import { fileProblem } from './file-problem.js';
import { fitsGlob } from './glob.js';
import type { LineMatcher } from './line-matcher.js';
import { literalMatcher, regexMatcher } from './line-matcher.js';
import { BUILT_IN } from './origin.js';
import type { Place, Workspace } from './place.js';
import { placeOf } from './place.js';
import { outsideRequest } from './read-file.js';
import { readText } from './read-text.js';
import { walk } from './walk.js';

/** Larger files are passed over, in bytes. */
const MAX_FILE = 2 * 1024 * 1024;
/** What is shown of a line, in characters. */
const MAX_LINE = 400;
/** All matching of one call, in milliseconds. */
const TIME_LIMIT_MS = 5000;
const MAX_FILES = 20_000;

const Input = z
  .object({
    pattern: z.string().min(1).max(1000).describe('a literal text, or a regular expression with `regex`'),
    regex: z.boolean().default(false),
    caseSensitive: z.boolean().default(true),
    path: z.string().min(1).default('.').describe('a folder or a file, relative to the working directory'),
    files: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('only files whose name fits, such as `*.ts` or `src/*.ts`'),
    maxMatches: z.int().min(1).max(1000).default(100),
  })
  .superRefine(({ pattern, regex }, context) => {
    try {
      if (regex) new RegExp(pattern, 'u');
    } catch (error) {
      context.addIssue({ code: 'custom', path: ['pattern'], message: messageOf(error) });
    }
  });
type Input = z.infer<typeof Input>;

type Match = Readonly<{ path: string; line: number; text: string }>;

/** Searches text files; asks first where they lie outside the working directory. */
export function searchFiles(workspace: Workspace, clock: Clock): Tool {
  return defineTool(
    {
      name: 'search_files',
      description:
        'Searches the text files below a folder line by line, for a literal text or a regular expression. Skips .git, node_modules, binary files and files above 2 MiB.',
      input: Input,
      effect: 'none',
      origin: BUILT_IN,
      approval: async (input) => outsideRequest(await placeOf(input.path, workspace)),
    },
    async (input, context) => {
      const place = await placeOf(input.path, workspace);
      const request = outsideRequest(place);
      if (request !== undefined) confirmStill(context, request);
      const { pattern, caseSensitive } = input;
      const matcher = input.regex
        ? regexMatcher(pattern, { caseSensitive, clock, timeLimitMs: TIME_LIMIT_MS })
        : literalMatcher(pattern, caseSensitive);
      try {
        return await search(place, input, matcher, context.signal);
      } finally {
        await matcher.close();
      }
    },
  );
}

async function search(place: Place, input: Input, matcher: LineMatcher, signal: AbortSignal) {
  const matches: Match[] = [];
  let filesSearched = 0;
  let skipped = 0;
  for await (const file of filesBelow(place, input.files, signal)) {
    if (filesSearched === MAX_FILES) return { matches, filesSearched, skipped, more: true };
    const lines = await linesOf(file, place);
    if (lines === undefined) {
      skipped += 1;
      continue;
    }
    filesSearched += 1;
    for (const index of await matcher.match(lines, signal)) {
      if (matches.length === input.maxMatches) return { matches, filesSearched, skipped, more: true };
      matches.push({
        path: labelOf(file, place),
        line: index + 1,
        text: (lines[index] ?? '').slice(0, MAX_LINE),
      });
    }
  }
  return { matches, filesSearched, skipped, more: false };
}

async function* filesBelow(
  place: Place,
  glob: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const found = await stat(place.path).catch((error: unknown) => {
    throw fileProblem(error, place.label);
  });
  if (!found.isDirectory()) {
    yield place.path;
    return;
  }
  for await (const entry of walk(place.path, true, signal)) {
    if (entry.type !== 'file') continue;
    const name = path.relative(place.path, entry.path).split(path.sep).join('/');
    if (glob === undefined || fitsGlob(glob.includes('/') ? name : path.basename(name), glob))
      yield entry.path;
  }
}

/** `undefined` for what is not searched: too large, not text, or gone in the meantime. */
async function linesOf(file: string, { inside, linked }: Place): Promise<readonly string[] | undefined> {
  try {
    const read = await readText({ path: file, label: file, inside, linked }, MAX_FILE);
    return read.type === 'binary' || read.cut ? undefined : read.text.split(/\r?\n/);
  } catch {
    return undefined; // One file that cannot be read does not end a search; it is counted as skipped.
  }
}

/** As the model would name it in the next call. */
function labelOf(file: string, place: Place): string {
  return path.join(place.label, path.relative(place.path, file)).split(path.sep).join('/');
}
