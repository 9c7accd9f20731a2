/**
 * The lines of a JSON text on which its texts stand: under these keys, in the order in which they come. For messages
 * only; where two are alike the first one is named.
 */
export function lineIn(json: string | undefined, keys: readonly string[], text: string): number | undefined {
  if (json === undefined) return undefined;
  const tokens = tokensOf(json);
  let at = 0;
  for (const key of keys) {
    const found = tokens.findIndex((token, index) => index >= at && token.isKey && token.text === key);
    if (found < 0) return undefined;
    at = found + 1;
  }
  return tokens.find((token, index) => index >= at && !token.isKey && token.text === text)?.line;
}

interface Token {
  readonly text: string;
  readonly isKey: boolean;
  /** Counts from 1. */
  readonly line: number;
}

function tokensOf(json: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let before = 0;
  for (const found of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gu)) {
    line += json.slice(before, found.index).split('\n').length - 1;
    before = found.index;
    const [whole, colon = ''] = found;
    tokens.push({ text: textOf(whole.slice(0, whole.length - colon.length)), isKey: colon !== '', line });
  }
  return tokens;
}

function textOf(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal; // The text was JSON when it was read; a file that changes in between only loses its line.
  }
}
