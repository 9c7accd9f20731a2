import type { Command } from 'commander';
import type { Io } from '../host/index.js';

/** Runs a command; returns its exit status. */
type Handler<Flags> = (io: Io, args: readonly unknown[], flags: Flags, program: Command) => Promise<number>;

/**
 * Makes the action of a command. A function names its body, so that the module is loaded only when the
 * command runs.
 */
export type Runs = <Flags extends object>(
  handler: () => Handler<Flags>,
) => (...given: readonly unknown[]) => Promise<void>;

/** Commands with their definitions, by name. */
export type CommandTable = Readonly<Record<string, (program: Command, runs: Runs) => Command>>;

/** The examples above the options of a command's help. */
export function examples(lines: readonly string[]): string {
  return `Examples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}
