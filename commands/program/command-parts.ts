import type { Command, CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings';
import type { Io } from '../host/index.js';

/** A function that runs a command with its arguments and flags, and returns the exit status. */
type Body<Args extends unknown[], Flags> = (io: Io, ...given: [...Args, Flags]) => Promise<number>;

/** Flags that a command body reads. A flag that the command does not define has the type `NotInRow`. */
type Defined<Read, Flags> = {
  readonly [Name in keyof Read]: Name extends keyof Flags ? Read[Name] : NotInRow;
};

/**
 * Type of a flag that the command does not define. No flag has this type, so a body that reads it does not
 * compile.
 */
interface NotInRow {
  readonly notInRow: symbol;
}

/** A command whose command line commander has parsed. */
type Row<Args extends unknown[], Flags extends OptionValues> = Pick<
  Command<Args, Flags>,
  'processedArgs' | 'opts'
>;

/**
 * Creates the action of a command. The body is returned by a function, so that its module is loaded only when
 * the command runs. The command must define the arguments and all flags that the body reads.
 */
export type Runs = <
  Args extends unknown[],
  Flags extends OptionValues & Read,
  Read extends Defined<Read, Flags>,
>(
  body: () => Body<Args, Read>,
) => (this: Row<Args, Flags>) => Promise<void>;

/** Command definitions by name. */
export type CommandTable = Readonly<Record<string, (program: Command, runs: Runs) => CommandUnknownOpts>>;

/** Formats examples, which a command's help shows before the options. */
export function examples(lines: readonly string[]): string {
  return `Examples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
