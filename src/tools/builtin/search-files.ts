import path from 'node:path';

import * as z from 'zod/mini';

import type { Clock, Tool } from '../../core/index.js';
import { fitsGlob, messageOf } from '../../core/index.js';
import type { FileText, Place, Workspace } from '../../files/index.js';
import { lookAt, placeOf, readText, readTextIn, walk } from '../../files/index.js';
import { defineTool } from '../define-tool.js';

import { confirmStill } from './agreement.js';
import type { LineMatcher } from './line-matcher.js';
import { literalMatcher, regexMatcher } from './line-matcher.js';
import { BUILT_IN } from './builtin-options.js';
import { readFacts, readRequest } from './read-request.js';

/** Maximum size of a file to search, in bytes. Larger files are skipped. */
const MAX_FILE = 2 * 1024 * 1024;
/** Maximum number of characters to return per line. */
const MAX_LINE = 400;
/** Time limit for all matching in one call, in milliseconds. */
const TIME_LIMIT_MS = 5000;
const MAX_FILES = 20_000;

const Input = z
  .object({
    pattern: z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(1000),
        z.describe('literal text, or a regular expression with `regex`'),
      ),
    regex: z._default(z.boolean(), false),
    caseSensitive: z._default(z.boolean(), true),
    path: z
      ._default(z.string().check(z.minLength(1)), '.')
      .check(z.describe('a folder or a file, relative to the working directory')),
    files: z
      .optional(z.string().check(z.minLength(1), z.maxLength(200)))
      .check(z.describe('only files whose name matches, for example `*.ts` or `src/*.ts`')),
    maxMatches: z._default(z.int().check(z.minimum(1), z.maximum(1000)), 100),
  })
  .check(
    z.superRefine(({ pattern, regex }, context) => {
      try {
        if (regex) new RegExp(pattern, 'u');
      } catch (error) {
        context.addIssue({ code: 'custom', path: ['pattern'], message: messageOf(error) });
      }
    }),
  );
type Input = z.infer<typeof Input>;

type Match = Readonly<{ path: string; line: number; text: string }>;

/**
 * Creates a tool that searches text files. It asks first if they are outside the working directory or often
 * contain keys.
 */
export function searchFiles(workspace: Workspace, clock: Clock): Tool {
  return defineTool(
    {
      name: 'search_files',
      description:
        'Searches the text files below a folder line by line for literal text or a regular expression. Skips .git, node_modules, binary files, files above 2 MiB and files that often contain keys.',
      input: Input,
      effect: 'none',
      origin: BUILT_IN,
      approval: async (input) => readRequest(await placeOf(input.path, workspace)),
      facts: async ({ path }) => readFacts(await placeOf(path, workspace)),
    },
    async (input, context) => {
      const place = await placeOf(input.path, workspace);
      const request = readRequest(place);
      if (request !== undefined) confirmStill(context, request);
      const { pattern, caseSensitive } = input;
      const matcher = input.regex
        ? regexMatcher(pattern, { caseSensitive, clock, timeLimitMs: TIME_LIMIT_MS })
        : literalMatcher(pattern, caseSensitive);
      try {
        return await search({ place, input, matcher, ownFolders: workspace.ownFolders }, context.signal);
      } finally {
        await matcher.close();
      }
    },
  );
}

interface Search {
  readonly place: Place;
  readonly input: Input;
  readonly matcher: LineMatcher;
  readonly ownFolders: Workspace['ownFolders'];
}

async function search(given: Search, signal: AbortSignal) {
  const { place, input, matcher } = given;
  const matches: Match[] = [];
  let filesSearched = 0;
  let skipped = 0;
  for await (const file of filesBelow(given, signal)) {
    if (filesSearched === MAX_FILES) return { matches, filesSearched, skipped, more: true };
    const lines = await linesOf(file);
    if (lines === undefined) {
      skipped += 1;
      continue;
    }
    filesSearched += 1;
    for (const index of await matcher.match(lines, signal)) {
      if (matches.length === input.maxMatches) return { matches, filesSearched, skipped, more: true };
      matches.push({
        path: labelOf(file.path, place),
        line: index + 1,
        text: (lines[index] ?? '').slice(0, MAX_LINE),
      });
    }
  }
  return { matches, filesSearched, skipped, more: false };
}

/** A file to search. Without `read`, the file is only counted as skipped. */
interface Found {
  readonly path: string;
  readonly read?: () => Promise<FileText>;
}

async function* filesBelow({ place, input, ownFolders }: Search, signal: AbortSignal): AsyncGenerator<Found> {
  if ((await lookAt(place))?.isFile() === true) {
    yield { path: place.path, read: async () => readText(place, MAX_FILE) };
    return;
  }
  for await (const entry of walk(place, { recursive: true, ownFolders }, signal)) {
    if (entry.type !== 'file' || !fits(entry.path, place, input.files)) continue;
    if (entry.sensitive) yield { path: entry.path };
    else yield { path: entry.path, read: async () => readTextIn(entry.folder, entry.name, MAX_FILE) };
  }
}

function fits(file: string, place: Place, glob: string | undefined): boolean {
  if (glob === undefined) return true;
  const name = path.relative(place.path, file).split(path.sep).join('/');
  return fitsGlob(glob.includes('/') ? name : path.basename(name), glob);
}

/**
 * Returns the lines of a file, or `undefined` if the file is skipped because it is too large, is not text,
 * often contains keys, or was deleted in the meantime.
 */
async function linesOf({ read }: Found): Promise<readonly string[] | undefined> {
  try {
    const found = await read?.();
    return found === undefined || found.type === 'binary' || found.cut
      ? undefined
      : found.text.split(/\r?\n/);
  } catch {
    return undefined; // One file that cannot be read does not end a search; it is counted as skipped.
  }
}

/** Formats a path in a form that the model can pass to the next call. */
function labelOf(file: string, place: Place): string {
  return path.join(place.label, path.relative(place.path, file)).split(path.sep).join('/');
}
