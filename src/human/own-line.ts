/** Returns the user's own command: `!ls -la`; undefined for any other line. */
export function ownCommand(line: string): string | undefined {
  const text = line.trim();
  const command = text.startsWith('!') ? text.slice(1).trim() : '';
  return command === '' ? undefined : command;
}

/** Finds `@` paths at the start of words; a quoted path may contain spaces. */
export function mentionedPaths(text: string): readonly string[] {
  const found = [...text.matchAll(/(?:^|\s)@(?:"([^"\n]+)"|(\S+))/gu)];
  return [...new Set(found.map(([, quoted, plain]) => quoted ?? plain ?? ''))];
}
