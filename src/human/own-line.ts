/** Returns the command of a line such as `!ls -la`, without the `!`, or `undefined` for any other line. */
export function ownCommand(line: string): string | undefined {
  const text = line.trim();
  const command = text.startsWith('!') ? text.slice(1).trim() : '';
  return command === '' ? undefined : command;
}

/** Returns the paths that are mentioned with `@` at the start of a word. A quoted path may contain spaces. */
export function mentionedPaths(text: string): readonly string[] {
  const found = [...text.matchAll(/(?:^|\s)@(?:"([^"\n]+)"|(\S+))/gu)];
  return [...new Set(found.map(([, quoted, plain]) => quoted ?? plain ?? ''))];
}
