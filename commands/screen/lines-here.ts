import type { Shown } from '../../src/core/index.js';
import type { LineContext, LineSource } from '../../src/human/index.js';
import { createLineSource } from '../../src/human/index.js';
import type { Io } from '../host/index.js';

/** Asks a question outside a conversation, on a terminal that accepts only lines. */
export async function askInLines<Answer>(
  io: Io,
  shared: LineSource | undefined,
  ask: (context: LineContext, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const lines = shared ?? createLineSource(io.stdin);
  try {
    const write = (text: Shown): void => void io.stderr.write(text);
    return await ask({ lines, write }, new AbortController().signal);
  } finally {
    if (shared === undefined) lines.close();
  }
}
