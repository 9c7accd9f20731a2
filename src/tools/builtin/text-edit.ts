/** What became of an edit: the new text, or why it does not fit. */
export type TextEdit =
  | { readonly type: 'edited'; readonly text: string; readonly line: number }
  | { readonly type: 'misfit'; readonly why: string };

/**
 * Replaces the one place where a text occurs. In a file with `\r\n` at its line ends, both texts may be written
 * with `\n`.
 */
export function editText(text: string, oldText: string, newText: string): TextEdit {
  const at = placesOf(text, oldText);
  if (at.length === 0 && text.includes('\r\n') && !oldText.includes('\r\n')) {
    const [before, after] = [oldText, newText].map((given) => given.replaceAll(/\r?\n/g, '\r\n'));
    if (before !== oldText) return editText(text, before ?? '', after ?? '');
  }
  const [first] = at;
  if (first === undefined) return { type: 'misfit', why: '`oldText` does not occur in the file' };
  if (at.length > 1) {
    const lines = at.slice(0, 5).map((place) => lineAt(text, place));
    const more = at.length > 5 ? ', …' : '';
    return {
      type: 'misfit',
      why: `\`oldText\` occurs ${at.length} times (lines ${lines.join(', ')}${more}); give more of what stands around it`,
    };
  }
  return {
    type: 'edited',
    text: text.slice(0, first) + newText + text.slice(first + oldText.length),
    line: lineAt(text, first),
  };
}

/** Where a text occurs, also where its occurrences overlap. */
function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length;
}
