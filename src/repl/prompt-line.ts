/** The meaning of a line at the chat prompt. */
export type PromptLine =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'command'; readonly name: string; readonly argument: string };

/** Reads a line: `/name rest` is a command, `//text` is text that begins with `/`. */
export function readPromptLine(line: string): PromptLine {
  if (line.startsWith('//')) return { type: 'text', text: line.slice(1) };
  const match = /^\/([a-z][a-z-]*)(?:\s+([^]*))?$/u.exec(line.trimEnd());
  if (match === null) return { type: 'text', text: line };
  return { type: 'command', name: match[1] ?? '', argument: (match[2] ?? '').trim() };
}
