import type { Tool } from '../../core/index.js';
import { realFolder } from '../../files/index.js';

import { askUser } from './ask-user.js';
import { editFileTool } from './edit-file.js';
import { fetchUrl } from './fetch-url.js';
import { listFiles } from './list-files.js';
import type { BuiltinOptions } from './builtin-options.js';
import { readFileTool } from './read-file.js';
import { runCommand } from './run-command.js';
import { searchFiles } from './search-files.js';
import { todo } from './todo.js';
import { writeFileTool } from './write-file.js';
import * as z from 'zod/mini';
import { defineTool } from '../define-tool.js';
import { BUILT_IN } from './builtin-options.js';

export type { BuiltinOptions } from './builtin-options.js';
export { answerSchemaOf, payloadOf, question } from './ask-user.js';
export { leftBehind } from './left-behind.js';
export type { GrantOptions } from './request-grant.js';
export { requestGrant } from './request-grant.js';
export { killGroup } from './process-group.js';

/** Creates the tool that ends an autonomous task. Its input is the result of the run. */
function finish(): Tool {
  return defineTool(
    {
      name: 'finish',
      description: 'Ends the task. Call it once, with the result, when everything is done or cannot be done.',
      input: z.object({ result: z.string().check(z.describe('what was achieved, or why nothing was')) }),
      output: z.string(),
      effect: 'none',
      endsRun: true,
      origin: BUILT_IN,
    },
    ({ result }) => result,
  );
}

/**
 * Functions that create the built-in tools, in the order shown to models. They are functions so that a module
 * is loaded only when first used.
 */
const BUILT_IN_TOOLS: Readonly<Record<string, (options: BuiltinOptions) => Tool>> = {
  ask_user: () => askUser(),
  list_files: (options) => listFiles(options),
  read_file: (options) => readFileTool(options),
  search_files: (options) => searchFiles(options, options.clock),
  write_file: (options) => writeFileTool(options),
  edit_file: (options) => editFileTool(options),
  run_command: (options) => runCommand(options),
  fetch_url: (options) => fetchUrl(options),
  todo: () => todo(),
  finish,
};

/**
 * Returns the built-in tools. They read inside the working directory without approval, except for files that
 * often contain keys. They ask before any other read, and before they change or send anything.
 */
export function builtinTools(given: BuiltinOptions): readonly Tool[] {
  const options = { ...given, cwd: realFolder(given.cwd) };
  return Object.values(BUILT_IN_TOOLS).map((make) => make(options));
}

/** Creates one built-in tool. Use it to show a single call, because creating all of them takes longer. */
export function builtinTool(name: string, given: BuiltinOptions): Tool | undefined {
  if (!Object.hasOwn(BUILT_IN_TOOLS, name)) return undefined;
  return BUILT_IN_TOOLS[name]?.({ ...given, cwd: realFolder(given.cwd) });
}
