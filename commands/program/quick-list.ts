import { processIo, watchOutputs, withOutputs } from '../host/index.js';
import type { Io } from '../host/index.js';
import { list } from '../list.js';
import { plainFlags } from './plain-flags.js';

/**
 * `hitl list` for people and scripts that ask often: without the library that parses flags, which takes longer to load
 * than the list takes to make. `undefined` where there is more to parse or anything went wrong: nothing was written
 * then, and the whole program does and says it all.
 * @param words the words after `list`
 */
export async function quickList(words: readonly string[], io: Io = processIo()): Promise<number | undefined> {
  const flags = plainFlags(words);
  if (flags === undefined) return undefined;
  const outputs = watchOutputs(io);
  try {
    return await outputs.judged(await list(withOutputs(io, outputs), [], flags));
  } catch {
    return undefined; // the whole program meets the same error, and reports it
  }
}
