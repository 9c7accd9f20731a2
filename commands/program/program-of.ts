import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Command } from '@commander-js/extra-typings';
import { HitlError, laidOut } from '../../src/core/index.js';
import { accessible } from '../host/index.js';
import { helpColumns } from '../help/help-columns.js';
import type { Io } from '../host/index.js';
import type { CommandTable, Runs } from './command-parts.js';

export interface Program {
  readonly command: Command;
  /** Returns the exit status of the command that ran. */
  status(): number;
}

/** The commands and the help of a program. */
export interface Defined {
  readonly commands: CommandTable;
  /** Returns the help shown for the program itself. */
  readonly help: (columns: number) => string;
}

/** Builds a program from a set of commands. Until one of them runs, only commander is loaded. */
export function programOf(io: Io, version: string, { commands, help }: Defined): Program {
  let status = 0;
  const program = new Command('hitl');
  const runs: Runs = (body) =>
    async function () {
      const flags = this.opts();
      const here = flags['accessible'] === true ? accessible(io) : io;
      status = await body()(here, ...this.processedArgs, flags);
    };

  program
    .description('Agent sessions with a human in the loop.')
    .showSuggestionAfterError(true)
    .showHelpAfterError(false)
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(laidOut(text)),
      writeErr: (text) => void io.stderr.write(laidOut(text)),
      getOutHelpWidth: () => helpColumns(io.stdout),
      outputError: () => undefined, // main reports it
    })
    .exitOverride();

  for (const define of Object.values(commands)) define(program, runs);
  program.version(version, '-V, --version');
  program.helpCommand(
    'help [command]',
    'Show help for a command; `hitl help exit-codes` lists the exit statuses',
  );
  program.helpInformation = () => help(helpColumns(io.stdout));
  // Commander answers with help where a command is missing, and with no word of what is wrong.
  program.addHelpText('beforeAll', ({ error, command }) => {
    if (error) throw noCommand(command);
    return '';
  });
  for (const command of program.commands.flatMap((one) => [one, ...one.commands]))
    command.exitOverride().configureOutput(program.configureOutput());
  return { command: program, status: () => status };
}

function noCommand(command: CommandUnknownOpts): HitlError {
  const whole = command.parent === null ? command.name() : `hitl ${command.name()}`;
  return new HitlError('USAGE', `missing subcommand of \`${whole}\``, {
    hint: `see \`${whole} --help\``,
  });
}
