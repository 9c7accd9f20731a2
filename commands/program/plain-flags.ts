import type { CommonFlags } from '../flags/index.js';

/** The flags that stand for themselves: no value, no short form that could be joined with another. */
const FLAGS: Readonly<Record<string, Partial<CommonFlags>>> = {
  '--json': { json: true },
  '--quiet': { quiet: true },
  '--verbose': { verbose: true },
  '--no-color': { color: false },
  '--no-input': { input: false },
};

/** The flags of words that are nothing but plain flags; `undefined` where there is more to parse. */
export function plainFlags(words: readonly string[]): CommonFlags | undefined {
  let flags: CommonFlags = { color: true, input: true };
  for (const word of words) {
    if (!Object.hasOwn(FLAGS, word)) return undefined;
    flags = { ...flags, ...FLAGS[word] };
  }
  return flags;
}
