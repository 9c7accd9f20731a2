import type { Renderer, Session, SessionStore, Shown } from '../../src/core/index.js';
import type { TableOptions } from '../../src/render/index.js';
import type { Agent } from '../agent/agent.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { columnsOf } from '../screen/terminal-facts.js';
import { stderrTheme } from '../screen/theme.js';

/** Everything that a slash command can access. */
export interface SlashContext extends Pick<Agent, 'model' | 'tools' | 'servers' | 'rules' | 'memory'> {
  readonly io: Io;
  readonly flags: RunFlags;
  readonly mode: Mode;
  readonly session: Session;
  readonly renderer: Renderer;
  readonly store: SessionStore;
  /** Ends the chat after this command; the session can be resumed. */
  readonly leave: () => void;
  /** All slash commands. */
  readonly commands: readonly SlashCommand[];
  /** Clears the screen except for the prompt. Absent if the terminal does not support drawing. */
  readonly clear?: () => void;
  /** Called when the user has seen the recent output. */
  readonly looked?: () => Promise<void>;
  /** The user's input line. Absent if the terminal does not support drawing. */
  readonly line?: PersonLine;
}

/** The user's input line, with a list above it. */
export interface PersonLine {
  /** Lets the user choose a row. Returns the row's index, or `undefined` if the user chose none. */
  choose(question: {
    readonly message: string;
    readonly rows: readonly string[];
  }): Promise<number | undefined>;
  /** Puts text into the line for editing. */
  write(text: string): void;
}

/** Runs a slash command with its argument and context, and writes its output. */
export type SlashHandler = (
  argument: string,
  context: SlashContext,
  print: (text: Shown) => void,
) => void | Promise<void>;

/** A slash command. The palette, help, completion, documentation and behavior are all derived from it. */
export interface SlashCommand {
  readonly name: string;
  /** The argument: `<required>` or `[optional]`. If absent, the command accepts no argument. */
  readonly argument?: string;
  /**
   * Whether the command may run while a question is postponed. If false, the command changes the session and
   * waits until the question is answered.
   */
  readonly beside: boolean;
  /** Short description. */
  readonly help: string;
  /**
   * Returns the known arguments with their descriptions. The descriptions are built-in text and can be
   * trusted.
   */
  readonly values?: () => readonly { readonly value: string; readonly help: string }[];
  readonly run: SlashHandler;
}

/**
 * Returns the theme and width for command output on stderr. The width is one column less than the terminal's.
 */
export function lookOf(io: Io, { color }: Pick<RunFlags, 'color'>): TableOptions {
  const { columns } = columnsOf(io.stderr);
  return { theme: stderrTheme(io, color), ...(columns !== undefined && { columns: columns - 1 }) };
}
