import type { Tool } from '../../core/index.js';
import { realFolder } from '../../files/index.js';

import { askUser } from './ask-user.js';
import { editFileTool } from './edit-file.js';
import { fetchUrl } from './fetch-url.js';
import { finish } from './finish.js';
import { listFiles } from './list-files.js';
import type { BuiltinOptions } from './builtin-options.js';
import { readFileTool } from './read-file.js';
import { runCommand } from './run-command.js';
import { searchFiles } from './search-files.js';
import { writeFileTool } from './write-file.js';

export type { BuiltinOptions } from './builtin-options.js';
export { answerSchemaOf, payloadOf, question } from './ask-user.js';
export { leftBehind } from './left-behind.js';
export { killGroup } from './process-group.js';

/**
 * The tools that come with the product. What only reads inside the working directory, and nothing that often holds keys,
 * runs without asking; what reads anything else, changes something or sends something out asks each time.
 */
export function builtinTools(given: BuiltinOptions): readonly Tool[] {
  const options = { ...given, cwd: realFolder(given.cwd) };
  return [
    askUser(),
    listFiles(options),
    readFileTool(options),
    searchFiles(options, options.clock),
    writeFileTool(options),
    editFileTool(options),
    runCommand(options),
    fetchUrl(options),
    finish(),
  ];
}
