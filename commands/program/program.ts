import { rootHelp } from '../help/root-help.js';
import type { Io } from '../host/index.js';
import type { CommandTable } from './command-parts.js';
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

/** First words that need no command. */
const NO_COMMAND = ['--version', '-V'];

/** The command that completes words. It has to know every command. */
const COMPLETES = '__complete';

/**
 * Builds the program for the words after its name. Defining all commands takes as long as loading commander: where the
 * first word names one, only that one is defined.
 */
export function buildProgram(io: Io, version: string, [word = '']: readonly string[] = []): Program {
  return programOf(io, version, { commands: commandsFor(word), help: rootHelp });
}

function commandsFor(word: string): CommandTable {
  if (NO_COMMAND.includes(word)) return {};
  const define = word !== COMPLETES && Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  return define === undefined ? COMMANDS : { [word]: define };
}
