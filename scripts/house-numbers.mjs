/** A law, a case or a guarantee by the number that it has among us. */
const number = String.raw`(?:G\d+|[A-Z]-\d+|(?:law|case)s? \d+)`;
const many = String.raw`${number}(?:(?:,|,? (?:to|and)) (?:${number}|\d+))*`;
/** The number of an invariant stands in brackets only, so that a name such as `M1` elsewhere stays. */
const invariants = String.raw`[A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*`;
const inBrackets = new RegExp(String.raw`\s*\((?:[Ss]ee )?(?:${many}|${invariants})\)`, 'gu');
const bare = new RegExp(String.raw`\b${number}\b`, 'gu');

/** A text without the numbers that stand in brackets, and without the space before them. */
export function withoutNumbers(text) {
  return text.replace(inBrackets, '');
}

/** The numbers that a text names. */
export function numbersIn(text) {
  return [...text.matchAll(bare)].map(([found]) => found);
}
