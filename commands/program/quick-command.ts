import type { Io } from '../host/index.js';
import { plainFlags } from './plain-flags.js';

/** The flags of an answer that has none. */
const NO_FLAGS = { color: true, input: true, builtinTools: true, inputFormat: 'text' } as const;

/**
 * Runs what scripts ask most without the library that parses flags, which takes a tenth of their time: `hitl inbox` with
 * plain flags, and `hitl answer <id> <words>` with `--digest` or without a flag. Its status; `undefined` where there is more to parse: nothing
 * was done then.
 */
export async function runQuickly(io: Io, [word, ...more]: readonly string[]): Promise<number | undefined> {
  if (word === 'inbox') {
    const flags = plainFlags(more);
    return flags === undefined ? undefined : (await import('../inbox.js')).inbox(io, [], flags);
  }
  const at = more.indexOf('--digest');
  const digest = at < 0 ? undefined : more[at + 1];
  const [id, ...answer] = at < 0 ? more : more.toSpliced(at, 2);
  const isPlain = [id ?? '-', ...answer, digest ?? ''].every((one) => !one.startsWith('-'));
  if (word !== 'answer' || answer.length === 0 || !isPlain || (at >= 0 && digest === undefined))
    return undefined;
  const flags = { ...NO_FLAGS, ...(digest !== undefined && { digest }) };
  return (await import('../answer.js')).answer(io, [id, answer], flags);
}
