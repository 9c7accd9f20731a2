/** A command of the person's own: `!ls -la`; nothing where a line is none. */
export function ownCommand(line: string): string | undefined {
  const text = line.trim();
  const command = text.startsWith('!') ? text.slice(1).trim() : '';
  return command === '' ? undefined : command;
}

/** Finds the paths behind an `@` in a text, at the start of a word; a quoted one may hold spaces. */
export function mentionedPaths(text: string): readonly string[] {
  const found = [...text.matchAll(/(?:^|\s)@(?:"([^"\n]+)"|(\S+))/gu)];
  return [...new Set(found.map(([, quoted, plain]) => quoted ?? plain ?? ''))];
}
