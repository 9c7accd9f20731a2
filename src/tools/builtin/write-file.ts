import path from 'node:path';

import * as z from 'zod/mini';

import type { Tool } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import type { Workspace } from '../../files/index.js';
import { isFree, lookAt, placeOf, writeText } from '../../files/index.js';
import { defineTool } from '../define-tool.js';

import { confirmStill } from './agreement.js';
import { changeFacts, noteChange, planChange } from './file-change.js';
import { BUILT_IN } from './builtin-options.js';
import { orWords } from './or-words.js';

/** Maximum number of characters that one call can write. */
const MAX_CONTENT = 5_000_000;

/** Returns a schema for file text. NUL is not allowed, because it would make the file binary. */
export const fileContent = () =>
  z.string().check(
    z.maxLength(MAX_CONTENT),
    z.refine((text) => !text.includes('\0'), 'must not contain a NUL character'),
  );

/**
 * Creates a tool that writes a whole file. For each change, the user is asked for approval and sees the diff
 * and the resolved path.
 */
export function writeFileTool(workspace: Workspace): Tool {
  const Input = z.object({
    path: z.string().check(z.minLength(1), z.describe('relative to the working directory, or absolute')),
    content: fileContent().check(z.describe('the complete new content of the file')),
  });
  return defineTool(
    {
      name: 'write_file',
      description:
        'Creates a text file, or replaces the whole content of an existing one. The user sees the change and approves it. To change part of a file, use edit_file.',
      input: Input,
      output: orWords(z.object({ path: z.string(), bytes: z.number() })),
      effect: 'once',
      origin: BUILT_IN,
      editing: { field: 'content', as: 'text', file: 'path', labels: { path: 'file' } },
      needsApproval: true,
      // A call that cannot work is refused to the model before a person is asked about it.
      problem: async (input) => problemOf(input.path, workspace),
      facts: async (input) => changeFacts(await placeOf(input.path, workspace), workspace.starts),
      approval: async (input) => (await plan(input, workspace)).request,
    },
    async (input, context) => {
      const { place, request, before } = await plan(input, workspace);
      confirmStill(context, request);
      await noteChange(context, { place, after: input.content }, before);
      context.signal.throwIfAborted();
      await writeText(place, input.content, before === undefined ? {} : { before });
      return { path: place.label, bytes: Buffer.byteLength(input.content) };
    },
  );
}

async function plan({ path: given, content }: { path: string; content: string }, workspace: Workspace) {
  const place = await placeOf(given, workspace);
  return { place, ...(await planChange({ place, after: content, starts: workspace.starts })) };
}

/**
 * Returns the reason that a file cannot be written. Reveals nothing about files that require approval to
 * read.
 */
async function problemOf(given: string, workspace: Workspace): Promise<string | undefined> {
  try {
    const place = await placeOf(given, workspace);
    if (!isFree(place)) return undefined;
    const found = await lookAt(place).catch(() => undefined); // Not there, or the root: told below.
    if (found?.isDirectory() === true || given.endsWith(path.sep)) return `${place.label} is a folder`;
    return found === undefined || found.isFile() ? undefined : `${place.label} is not a regular file`;
  } catch (error) {
    return messageOf(error);
  }
}
