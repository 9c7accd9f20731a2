import { stat } from 'node:fs/promises';

import { createTwoFilesPatch } from 'diff';

import { errnoOf } from '../../core/index.js';
import type { ApprovalRequest } from '../../core/index.js';

import { fileProblem } from './file-problem.js';
import type { Place } from './place.js';
import { readText } from './read-text.js';

/** What is compared line by line; a larger file is told of in bytes. */
const MAX_DIFF_BYTES = 1024 * 1024;
/** Lines that may differ in a diff: more would take long to make, and nobody reads it. */
const MAX_EDITS = 4000;

/** A text that would take the place of what is there. */
export interface FileChange {
  readonly place: Place;
  readonly after: string;
}

/** What a person is asked before a file changes: where it really lies, what happens to it, and the diff. */
export async function changeRequest({ place, after }: FileChange): Promise<ApprovalRequest> {
  const before = await textBefore(place);
  const diff = before.text === undefined ? undefined : unifiedDiff(place, before.text, after, before.exists);
  const warnings = [
    ...(place.inside ? [] : ['outside the working directory']),
    ...(place.linked ? ['a symbolic link leads there'] : []),
    ...(/(^|[\\/])\.git([\\/]|$)/.test(place.path)
      ? ['inside .git: hooks and settings there run programs']
      : []),
    ...before.warnings,
    ...(before.text !== undefined && diff === undefined ? ['the change is too large to show as a diff'] : []),
  ];
  const change = before.exists ? `replaces ${before.bytes} bytes` : 'creates the file';
  return {
    facts: { path: place.path, change },
    ...(diff !== undefined && { diff }),
    ...(warnings.length > 0 && { warnings }),
  };
}

interface Before {
  readonly exists: boolean;
  readonly bytes: number;
  readonly text?: string;
  readonly warnings: readonly string[];
}

async function textBefore(place: Place): Promise<Before> {
  if (!(await exists(place))) return { exists: false, bytes: 0, text: '', warnings: [] };
  const read = await readText(place, MAX_DIFF_BYTES);
  const { bytes } = read;
  if (read.type === 'binary')
    return { exists: true, bytes, warnings: ['it replaces a file that is not text'] };
  if (read.cut) return { exists: true, bytes, warnings: ['the file is too large to show as a diff'] };
  const warnings = read.exact ? [] : ['the file is not valid UTF-8; what is not is shown as �'];
  return { exists: true, bytes, text: read.text, warnings };
}

async function exists(place: Place): Promise<boolean> {
  try {
    await stat(place.path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw fileProblem(error, place.label);
  }
}

/** The same for the same texts, so that what is found later can be compared with what was shown. */
function unifiedDiff({ label }: Place, before: string, after: string, existed: boolean): string | undefined {
  const from = existed ? `a/${label}` : '/dev/null';
  const patch: string | undefined = createTwoFilesPatch(
    from,
    `b/${label}`,
    before,
    after,
    undefined,
    undefined,
    {
      context: 3,
      maxEditLength: MAX_EDITS,
    },
  );
  return patch?.replace(/^=+\n/, '');
}
