import type { Command, CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings';
import type { Io } from '../host/index.js';

/** What a command does with its arguments and flags; returns its exit status. */
type Body<Args extends unknown[], Flags> = (io: Io, ...given: [...Args, Flags]) => Promise<number>;

/** Flags that are read, where the row of the command defines each of them. */
type Defined<Read, Flags> = {
  readonly [Name in keyof Read]: Name extends keyof Flags ? Read[Name] : NotInRow;
};

/** The type of a flag that the row does not define. No flag has it, so that the compiler refuses the body. */
interface NotInRow {
  readonly notInRow: symbol;
}

/** The row of a command, as commander has read the command line. */
type Row<Args extends unknown[], Flags extends OptionValues> = Pick<
  Command<Args, Flags>,
  'processedArgs' | 'opts'
>;

/**
 * Makes the action of a command. Its body is named by a function, so that its module is loaded when it runs. The row has
 * to define the arguments and each flag that the body reads.
 */
export type Runs = <
  Args extends unknown[],
  Flags extends OptionValues & Read,
  Read extends Defined<Read, Flags>,
>(
  body: () => Body<Args, Read>,
) => (this: Row<Args, Flags>) => Promise<void>;

/** Commands with their definitions, by name. */
export type CommandTable = Readonly<Record<string, (program: Command, runs: Runs) => CommandUnknownOpts>>;

/** The examples above the options of a command's help. */
export function examples(lines: readonly string[]): string {
  return `Examples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
