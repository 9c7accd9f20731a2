import { rootHelp } from '../help/index.js';
import type { Io } from '../host/index.js';
import type { CommandTable } from './command-parts.js';
import { commandNamed } from './command-parts.js';
import { CONVERSATION_COMMANDS, TOUR } from './conversation-commands.js';
import { INFO_COMMANDS } from './info-commands.js';
import type { Program } from './program-of.js';
import { programOf } from './program-of.js';
import { SESSION_COMMANDS } from './session-commands.js';
import { FLOW_COMMANDS, STEERING_COMMANDS } from './steering-commands.js';

/** In the order of the help. */
const COMMANDS: CommandTable = {
  ...CONVERSATION_COMMANDS,
  ...STEERING_COMMANDS,
  ...FLOW_COMMANDS,
  ...TOUR,
  ...SESSION_COMMANDS,
  ...INFO_COMMANDS,
};

/** The command that completes words. It has to know every command. */
const COMPLETES = '__complete';

/**
 * Builds the whole program. To define all commands takes as long as to load commander: where the first of the words
 * names one, it is the only one.
 */
export function buildProgram(io: Io, version: string, [word = '']: readonly string[] = []): Program {
  const one = word === COMPLETES ? undefined : commandNamed(word, COMMANDS);
  return programOf(io, version, { commands: one ?? COMMANDS, help: rootHelp });
}
