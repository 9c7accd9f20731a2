import { clearLine, cursorTo, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';

import xterm from '@xterm/headless';
import { describe, expect, test, vi } from 'vitest';

import type { Renderer, SessionEvent, TransientEvent } from '../../src/core/index.js';
import { createTheme, createSpinner, TerminalRenderer } from '../../src/render/index.js';
import { calls, modelSays, outputs, starts, stateOf, userSays } from './story.js';

/** A stream into a terminal emulator, with what a real one can do. */
class EmulatedTerminal extends Writable {
  readonly isTTY = true;
  readonly columns = 40;
  readonly rows = 10;
  #written = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#written += chunk.toString();
    done();
  }

  cursorTo(column: number): boolean {
    return cursorTo(this, column);
  }

  clearLine(direction: -1 | 0 | 1): boolean {
    return clearLine(this, direction);
  }

  moveCursor(columns: number, rows: number): boolean {
    return moveCursor(this, columns, rows);
  }

  /** The lines a person sees, with those that were scrolled away. */
  async lines(): Promise<readonly string[]> {
    const emulator = new xterm.Terminal({
      cols: this.columns,
      rows: this.rows,
      scrollback: 100,
      convertEol: true,
      allowProposedApi: true,
    });
    await new Promise<void>((resolve) => {
      emulator.write(this.#written, resolve);
    });
    const { active } = emulator.buffer;
    const lines = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? '',
    );
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  }
}

interface Chat {
  readonly terminal: EmulatedTerminal;
  readonly renderer: Renderer;
  tell(event: SessionEvent): void;
}

function chat(): Chat {
  const terminal = new EmulatedTerminal();
  const now = (): number => Date.now();
  const spinner = createSpinner({ stream: terminal, env: {}, style: (text) => text, now });
  const theme = createTheme({ colour: true });
  const renderer = new TerminalRenderer({ stdout: terminal, stderr: terminal, theme, now, spinner });
  const past: SessionEvent[] = [];
  return {
    terminal,
    renderer,
    tell(event) {
      past.push(event);
      renderer.event(event, past.length, stateOf(past));
    },
  };
}

describe('the screen of a terminal', () => {
  test('holds every line once after a spinner, a stream longer than the screen, and tools (E10)', async () => {
    vi.useFakeTimers({
      toFake: ['Date', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'],
      now: 0,
    });
    const { terminal, renderer, tell } = chat();
    const text = Array.from({ length: 15 }, (_, index) => `- item **${index}** of the list\n`).join('');
    tell(userSays('x'));
    tell({ type: 'model-started', attempt: 1 });
    vi.advanceTimersByTime(2500);
    for (const piece of text.match(/.{1,7}|\n/g) ?? []) {
      renderer.transient({ type: 'text-delta', text: piece } satisfies TransientEvent);
      vi.advanceTimersByTime(50);
    }
    tell(modelSays(text, calls('a', 'balance', {})));
    tell(starts('a', 'balance', {}));
    vi.advanceTimersByTime(1500);
    tell(outputs('a', { balance: 12 }));
    renderer.stopped(stateOf([]));
    vi.useRealTimers();
    expect(await terminal.lines()).toEqual([
      ...Array.from({ length: 15 }, (_, index) => `  • item ${index} of the list`),
      '→ balance',
      '  ✓ 1.5 s · balance: 12',
    ]);
  });

  test('shows the spinner on a line of its own while something is waited for', async () => {
    const { terminal, renderer, tell } = chat();
    tell(userSays('x'));
    tell({ type: 'model-started', attempt: 1 });
    expect(await terminal.lines()).toEqual(['⠋ waiting f…']);
    renderer.pause();
    expect(await terminal.lines()).toEqual([]);
  });
});
