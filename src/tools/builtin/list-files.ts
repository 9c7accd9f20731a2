import path from 'node:path';

import * as z from 'zod/mini';

import type { Tool } from '../../core/index.js';
import type { Entry, Workspace } from '../../files/index.js';
import { placeOf, walk } from '../../files/index.js';
import { defineTool } from '../define-tool.js';

import { confirmStill } from './agreement.js';
import { BUILT_IN } from './builtin-options.js';
import { readFacts, readRequest } from './read-request.js';

/** Maximum number of entries per call. */
const MAX_ENTRIES = 1000;

/**
 * Creates a tool that lists a folder. It asks first if the folder is outside the working directory or often
 * contains keys.
 */
export function listFiles(workspace: Workspace): Tool {
  return defineTool(
    {
      name: 'list_files',
      description:
        'Lists the files and folders in a folder; with `recursive`, also those below it (except inside .git, node_modules and folders with keys). At most 1000 entries.',
      input: z.object({
        path: z
          ._default(z.string().check(z.minLength(1)), '.')
          .check(z.describe('relative to the working directory, or absolute')),
        recursive: z._default(z.boolean(), false),
      }),
      effect: 'none',
      origin: BUILT_IN,
      approval: async (input) => readRequest(await placeOf(input.path, workspace)),
      facts: async ({ path }) => readFacts(await placeOf(path, workspace)),
    },
    async (input, context) => {
      const place = await placeOf(input.path, workspace);
      const request = readRequest(place);
      if (request !== undefined) confirmStill(context, request);
      const entries: Awaited<ReturnType<typeof described>>[] = [];
      const options = { recursive: input.recursive, ownFolders: workspace.ownFolders };
      for await (const entry of walk(place, options, context.signal)) {
        if (entries.length === MAX_ENTRIES) return { path: place.label, entries, more: true };
        entries.push(await described(entry, place.path));
      }
      return { path: place.label, entries };
    },
  );
}

async function described({ path: at, name: own, type, folder }: Entry, listed: string) {
  const name = path.relative(listed, at).split(path.sep).join('/');
  if (type !== 'file') return { path: name, type };
  const found = await folder.look(own).catch(() => undefined); // Gone in the meantime: it was there.
  return { path: name, type, ...(found !== undefined && { bytes: Number(found.size) }) };
}
