import fc from 'fast-check';

/** Pieces that attack a terminal, and pieces of markdown to hide them in. */
const PIECES = [
  '\u001B[31m',
  '\u001B]0;title\u0007',
  '\u001B]8;;http://evil\u0007',
  '\u001BP1$q\u001B\\',
  '\u009B2J',
  '\u001Bc',
  '\r',
  '\r\n',
  '\b\b\b',
  '\u0000',
  '\u007F',
  '\u202E',
  '\u2066',
  '\u200B',
  '\u2028',
  '\u2029',
  '\uFEFF',
  '\u00AD',
  '\u{E0041}',
  '\uD800',
  '\uDC00',
  '\u200D',
  '\u0301\u0301\u0301\u0301',
  '&#27;[31m',
  '&#x1b;[2J',
  '&#8238;',
  '\n',
  '\n\n',
  '**',
  '*',
  '_',
  '`',
  '```',
  '\n```js\n',
  '\n```\n',
  '\n# ',
  '\n- ',
  '\n1. [x] ',
  '\n> ',
  '\n| a | b |\n|---|---|\n| ',
  ' | ',
  '[',
  '](',
  ')',
  '<',
  '>',
  '![',
  '~~',
  '\\',
  '\t',
  ' ',
  '          ',
  'word',
  '漢字',
  '👩‍👩‍👧',
  '🇩🇪',
  'é',
  '---\n',
];

/** Text that attacks a terminal from within markdown. */
export function hostileText(): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { arbitrary: fc.constantFrom(...PIECES), weight: 4 },
    fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  );
  return fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
}

// oxlint-disable-next-line no-control-regex -- our own styles
const STYLES = /\u001B\[[0-9;]*m/g;

/** Output without our own styles; what is left of control sequences came from outside. */
export function withoutStyles(output: string): string {
  return output.replaceAll(STYLES, '');
}

/** Characters that must never reach a terminal, but for line breaks, tabs and the joiners of emoji and letters. */
const RAW =
  /[^\P{Cc}\n\t]|[\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E0FFF}]|\p{Cs}/gu;

/** What of an output without styles moves the cursor, hides or reorders text; empty where it is safe. */
export function rawParts(output: string): readonly string[] {
  return output.match(RAW) ?? [];
}
