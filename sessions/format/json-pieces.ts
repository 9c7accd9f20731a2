// Long sessions are written without their whole text, or its bytes, ever being in memory. A piece is only good until
// the next one is made.

/** Approximate number of characters per piece. */
const PIECE_LENGTH = 1 << 16;

/**
 * Yields a document in the format of `JSON.stringify(document, null, 2)`, in UTF-8 pieces. Lists in the
 * document are serialized item by item.
 */
export function* documentPieces(document: object): Generator<Buffer> {
  yield* inPieces(documentTexts(document));
}

function* documentTexts(document: object): Generator<string> {
  let start = '{';
  for (const [key, value] of Object.entries(document)) {
    if (value === undefined) continue;
    if (Array.isArray(value) && value.length > 0) yield* memberTexts(start, key, value);
    else yield `${start}${memberText(key, value)}`;
    start = ',';
  }
  yield start === '{' ? '{}' : '\n}';
}

/** `\n  "key": value` */
function memberText(key: string, value: unknown): string {
  return JSON.stringify({ [key]: value }, null, 2).slice('{'.length, -'\n}'.length);
}

/** Yields a property whose value is a list, item by item. */
function* memberTexts(start: string, key: string, list: readonly unknown[]): Generator<string> {
  const open = memberText(key, []).slice(0, -']'.length);
  const close = '\n  ]';
  let before = `${start}${open}`;
  for (const item of list) {
    yield `${before}${memberText(key, [item]).slice(open.length, -close.length)}`;
    before = ',';
  }
  yield close;
}

/** Yields a list as one line of JSON, in the format of `JSON.stringify`, in UTF-8 pieces. */
export function* listPieces(list: readonly unknown[]): Generator<Buffer> {
  yield* inPieces(listTexts(list));
}

function* listTexts(list: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const item of list) {
    yield `${before}${JSON.stringify(item)}`;
    before = ',';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

function* inPieces(texts: Iterable<string>): Generator<Buffer> {
  let buffer = Buffer.allocUnsafe(2 * PIECE_LENGTH);
  let piece = '';
  const bytes = (): Buffer => {
    const length = Buffer.byteLength(piece);
    if (length > buffer.length) buffer = Buffer.allocUnsafe(length);
    return buffer.subarray(0, buffer.write(piece));
  };
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield bytes();
    piece = '';
  }
  yield bytes();
}
