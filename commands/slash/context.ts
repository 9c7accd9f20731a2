import type { Renderer, Session, SessionStore, Shown } from '../../src/core/index.js';
import type { TableOptions } from '../../src/render/index.js';
import type { Agent } from '../agent/agent.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { columnsOf } from '../screen/terminal-facts.js';
import { stderrTheme } from '../screen/theme.js';

/** The things that a slash command works with. */
export interface SlashContext extends Pick<Agent, 'model' | 'tools' | 'servers' | 'rules'> {
  readonly io: Io;
  readonly flags: RunFlags;
  readonly mode: Mode;
  readonly session: Session;
  readonly renderer: Renderer;
  readonly store: SessionStore;
  /** Ends the chat behind this command; the session can be resumed. */
  readonly leave: () => void;
  /** Every command of the prompt. */
  readonly commands: readonly SlashCommand[];
  /** Takes everything off the screen but the prompt; absent where nothing can be drawn. */
  readonly clear?: () => void;
  /** The line of the person; absent where nothing can be drawn. */
  readonly line?: PersonLine;
}

/** The line that a person writes in, and a list above it. */
export interface PersonLine {
  /** Lets the person choose a row; `undefined` where they chose none. */
  choose(question: {
    readonly message: string;
    readonly rows: readonly string[];
  }): Promise<number | undefined>;
  /** Puts a text into the line, to be changed and sent. */
  write(text: string): void;
}

/** A slash command that runs: its argument, what it works with, and where it says what there is to say. */
export type SlashHandler = (
  argument: string,
  context: SlashContext,
  print: (text: Shown) => void,
) => void | Promise<void>;

/** One command of the prompt; palette, help, completion, documentation and what runs are made from these. */
export interface SlashCommand {
  readonly name: string;
  /** The argument behind the name: `<must>` or `[may]`. Absent: nothing stands there. */
  readonly argument?: string;
  /** False: it changes the session, and waits behind the answer while a question is put aside. */
  readonly beside: boolean;
  /** A few words for what it does. */
  readonly help: string;
  readonly run: SlashHandler;
}

/** Gives the look of what a command says: on stderr, one column short of the terminal. */
export function lookOf(io: Io, { color }: Pick<RunFlags, 'color'>): TableOptions {
  const { columns } = columnsOf(io.stderr);
  return { theme: stderrTheme(io, color), ...(columns !== undefined && { columns: columns - 1 }) };
}
