import { HitlError } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import type { RunFlags } from '../flags/options.js';
import { messageTooLarge } from './size-limits.js';

/**
 * Returns the text of the first user turn, from the command line or `--message`. With `--message -`, reads
 * stdin.
 * @throws HitlError USAGE if both are given, BAD_INPUT if stdin is not text or is too long.
 */
export async function firstText(
  io: Io,
  { message }: RunFlags,
  words: readonly string[] = [],
): Promise<string | undefined> {
  const prompt = words.length > 0 ? words.join(' ') : undefined;
  if (prompt !== undefined && message !== undefined) {
    throw new HitlError('USAGE', 'a prompt and `--message` cannot be used together', {
      hint: 'use one of them',
    });
  }
  const text = message === '-' ? await readAll(io) : (prompt ?? message);
  const problem = text === undefined ? undefined : messageTooLarge(text);
  if (problem !== undefined) throw problem;
  return text;
}

/** Reads stdin as text. @throws HitlError BAD_INPUT if it is not UTF-8 or contains NUL. */
export async function readAll({ stdin }: Io): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  try {
    for await (const chunk of stdin)
      if (chunk instanceof Uint8Array) text += decoder.decode(chunk, { stream: true });
    text += decoder.decode();
  } catch (cause) {
    throw new HitlError('BAD_INPUT', 'stdin is not valid UTF-8', {
      hint: 'convert it to UTF-8 first',
      cause,
    });
  }
  if (text.includes('\0'))
    throw new HitlError('BAD_INPUT', 'stdin contains a NUL character', { hint: 'is it text?' });
  return text.trimEnd();
}
