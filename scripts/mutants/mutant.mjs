/** A row: what is removed from which file, and the tests that must notice. */
export function mutant(name, file, edits, ...tests) {
  return { name, file, edits, tests: tests.flat() };
}

/** The text of a file with the edits of a mutant; `undefined` where one of them does not fit once. */
export function mutated(original, edits) {
  let text = original;
  for (const [search, replacement] of edits) {
    if (text.split(search).length !== 2) return undefined;
    text = text.replace(search, () => replacement);
  }
  return text;
}
