import type { Clock, RunState, Turn, TurnSource } from '../../core/index.js';
import { editLine } from './line-editor.js';
import type { LineResult } from './line-editor.js';
import type { LineState } from './state.js';
import type { HeldTerminal, TerminalDevice, TerminalTheme } from '../device/index.js';

/** Where lines that were typed before are kept. */
export interface LineHistory {
  /** Oldest first. */
  load(signal: AbortSignal): Promise<readonly string[]>;
  add(line: string, signal: AbortSignal): Promise<void>;
}

export interface TerminalTurnsOptions {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly theme: TerminalTheme;
  readonly history?: LineHistory;
  /** Whole lines that a line so far may become; for slash commands. */
  readonly complete?: (text: string) => readonly string[];
  /** Default `> `. */
  readonly prompt?: string;
}

const HISTORY_LIMIT = 1000;

class TerminalTurns implements TurnSource {
  private readonly options: TerminalTurnsOptions;
  private lines: readonly string[] | undefined;
  private draft: LineState | undefined;

  constructor(options: TerminalTurnsOptions) {
    this.options = options;
  }

  async next(_state: RunState, signal: AbortSignal): Promise<Turn> {
    const { device, history } = this.options;
    this.lines ??= (await history?.load(signal)) ?? [];
    try {
      return await device.use((terminal) => this.read(terminal, signal), { keepTypeAhead: true }, signal);
    } catch (error) {
      if (device.hungUp.aborted && !signal.aborted) return { type: 'end', why: 'the terminal is gone' };
      throw error;
    }
  }

  private async read(terminal: HeldTerminal, signal: AbortSignal): Promise<Turn> {
    for (;;) {
      const { clock, theme, complete, prompt = '> ' } = this.options;
      const options = {
        prompt,
        leave: 'twice' as const,
        history: this.lines ?? [],
        ...(complete && { complete }),
        ...(this.draft && { initial: this.draft }),
      };
      const result = await editLine(terminal, options, { clock, theme });
      this.draft = undefined;
      const turn = await this.turnOf(result, terminal, signal);
      if (turn !== undefined) return turn;
    }
  }

  private async turnOf(
    result: LineResult,
    terminal: HeldTerminal,
    signal: AbortSignal,
  ): Promise<Turn | undefined> {
    switch (result.type) {
      case 'submitted':
        if (result.text.trim() === '') return undefined;
        await this.remember(result.text, signal);
        return { type: 'message', text: result.text };
      case 'interrupted':
        return { type: 'end', why: 'Ctrl-C' };
      case 'ended':
        return { type: 'end', why: 'Ctrl-D' };
      case 'escaped':
        return undefined;
      case 'withdrawn':
        this.draft = result.draft;
        signal.throwIfAborted();
        terminal.signal.throwIfAborted();
        return undefined;
    }
  }

  private async remember(text: string, signal: AbortSignal): Promise<void> {
    const lines = this.lines ?? [];
    if (lines.at(-1) === text) return;
    this.lines = [...lines, text].slice(-HISTORY_LIMIT);
    await this.options.history?.add(text, signal);
  }
}

/** Reads user turns from a line editor at the terminal; the caller makes sense of lines that begin with `/`. */
export function createTerminalTurns(options: TerminalTurnsOptions): TurnSource {
  return new TerminalTurns(options);
}
