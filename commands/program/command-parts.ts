import type { Command, CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings';
import type { Io } from '../host/index.js';

/** Runs a command with its arguments and flags; returns its exit status. */
type Body<Args extends unknown[], Flags> = (io: Io, ...given: [...Args, Flags]) => Promise<number>;

/** The flags that a body reads, if the row of its command defines each of them. */
type Defined<Read, Flags> = {
  readonly [Name in keyof Read]: Name extends keyof Flags ? Read[Name] : NotInRow;
};

/** The type of a flag that the row does not define. No flag has this type, so the body does not compile. */
interface NotInRow {
  readonly notInRow: symbol;
}

/** A command after commander parsed the command line. */
type Row<Args extends unknown[], Flags extends OptionValues> = Pick<
  Command<Args, Flags>,
  'processedArgs' | 'opts'
>;

/**
 * Makes the action of a command. A function returns its body, so its module loads when the command runs. The row must
 * define the arguments and each flag that the body reads.
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
