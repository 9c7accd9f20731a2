import type { Renderer, Session, SessionStore, Shown } from '../../src/core/index.js';
import type { TableOptions } from '../../src/render/index.js';
import type { Agent } from '../agent/agent.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { columnsOf } from '../screen/terminal-facts.js';
import { stderrTheme } from '../screen/theme.js';

/** The things that a slash command works with. */
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
  /** Clears the screen except the prompt; absent if nothing can be drawn. */
  readonly clear?: () => void;
  /** Called when the user has looked at what went by. */
  readonly looked?: () => Promise<void>;
  /** The user's input line; absent if nothing can be drawn. */
  readonly line?: PersonLine;
}

/** The line that a person writes in, and a list above it. */
export interface PersonLine {
  /** Lets the user choose a row; `undefined` if none was chosen. */
  choose(question: {
    readonly message: string;
    readonly rows: readonly string[];
  }): Promise<number | undefined>;
  /** Puts a text into the line for editing. */
  write(text: string): void;
}

/** Runs a slash command with its argument and context, and writes its output. */
export type SlashHandler = (
  argument: string,
  context: SlashContext,
  print: (text: Shown) => void,
) => void | Promise<void>;

/** One slash command; source of palette, help, completion, documentation and behaviour. */
export interface SlashCommand {
  readonly name: string;
  /** Argument: `<required>` or `[optional]`. Absent: none. */
  readonly argument?: string;
  /** False: it changes the session, and waits for the answer of a postponed question. */
  readonly beside: boolean;
  /** Short description. */
  readonly help: string;
  /** The arguments that are known, each with what it means; text of the product. */
  readonly values?: () => readonly { readonly value: string; readonly help: string }[];
  readonly run: SlashHandler;
}

/** Returns the layout of command output: stderr, one column short of the terminal. */
export function lookOf(io: Io, { color }: Pick<RunFlags, 'color'>): TableOptions {
  const { columns } = columnsOf(io.stderr);
  return { theme: stderrTheme(io, color), ...(columns !== undefined && { columns: columns - 1 }) };
}
