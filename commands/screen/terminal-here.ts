import type { PickContext, TerminalTheme } from '../../src/human/index.js';
import type { Theme } from '../../src/render/index.js';
import { stderrTheme } from './theme.js';
import type { Io } from '../host/index.js';
import { TerminalDevice, processSignals } from '../../src/human/seated.js';

/** Adapts the theme for questions. */
export function terminalTheme(theme: Theme): TerminalTheme {
  return {
    title: theme.strong,
    key: theme.code,
    dim: theme.dim,
    warning: theme.warning,
    stop: theme.stop,
    error: theme.failure,
    success: theme.success,
    removed: theme.failure,
    added: theme.success,
    ...(theme.colour && { changed: theme.changed, syntax: theme.syntax }),
    ...(theme.grounds !== undefined && { grounds: theme.grounds }),
  };
}

/** Asks a question outside a conversation, and restores the terminal. */
export async function askHere<Answer>(
  io: Io,
  color: boolean,
  ask: (context: PickContext, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const { clock, stdin, stderr } = io;
  const device = new TerminalDevice({
    input: stdin,
    output: stderr,
    clock,
    signals: processSignals(process),
  });
  try {
    const context = { device, clock, theme: terminalTheme(stderrTheme(io, color)) };
    return await ask(context, new AbortController().signal);
  } finally {
    device.restore();
  }
}
