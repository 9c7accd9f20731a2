import { findText } from './find-text.js';

/** The result of an edit: the new text, or why it does not fit. */
export type TextEdit =
  | { readonly type: 'edited'; readonly text: string; readonly line: number }
  | { readonly type: 'misfit'; readonly why: string };

/**
 * Replaces the one place where a text occurs. In a file with `\r\n` at its line ends, both texts may be written
 * with `\n`. Takes time in proportion to what it is given.
 */
export function editText(text: string, oldText: string, newText: string): TextEdit {
  const first = findText(text, oldText);
  if (first === -1 && text.includes('\r\n') && !oldText.includes('\r\n')) {
    const [before, after] = [oldText, newText].map((given) => given.replaceAll(/\r?\n/g, '\r\n'));
    if (before !== oldText) return editText(text, before ?? '', after ?? '');
  }
  if (first === -1) return { type: 'misfit', why: '`oldText` does not occur in the file' };
  // A second one is enough to know, also where it overlaps the first.
  const second = findText(text, oldText, first + 1);
  if (second !== -1) {
    const lines = `lines ${lineAt(text, first)} and ${lineAt(text, second)}`;
    return {
      type: 'misfit',
      why: `\`oldText\` occurs more than once (${lines}, to begin with); give more of what stands around it`,
    };
  }
  return {
    type: 'edited',
    text: text.slice(0, first) + newText + text.slice(first + oldText.length),
    line: lineAt(text, first),
  };
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
