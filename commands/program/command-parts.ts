import type { Command } from 'commander';
import type { Io } from '../host/index.js';

/** A command's body: `load` is called only when the command runs, so that `--help` and `list` load little. */
type Handler<Flags> = (io: Io, args: readonly unknown[], flags: Flags, program: Command) => Promise<number>;

/** Makes the action of a command, which takes what commander gives it. */
export type Runs = <Flags extends object>(
  load: () => Promise<Handler<Flags>>,
) => (...given: readonly unknown[]) => Promise<void>;

/** Commands by their names, each with what defines it. */
export type CommandTable = Readonly<Record<string, (program: Command, runs: Runs) => Command>>;

/** The examples above the options of a command's help. */
export function examples(lines: readonly string[]): string {
  return `Examples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
