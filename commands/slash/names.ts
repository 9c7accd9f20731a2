/** The slash commands of the chat prompt, and what each does. */
export const SLASH_COMMANDS: Readonly<Record<string, string>> = {
  help: 'these commands',
  status: 'where this session is, and what it has used',
  tools: 'the tools that are offered',
  rules: 'what is approved for the rest of this session; /rules remove <tool> takes it back',
  model: 'the model that answers',
  show: 'the transcript so far',
  undo: 'take the last turn back; what was done stays done',
  rewind: 'take several turns back: /rewind 2',
  fork: 'a new session with the same past',
  save: 'write transcript.json now (the journal is always saved)',
  export: 'write the transcript to a file: /export notes.json',
  clear: 'clear the screen',
  quit: 'leave; the session can be resumed',
};

/** Whole commands that a line so far may become. */
export function slashCompletions(line: string): readonly string[] {
  if (!line.startsWith('/') || line.startsWith('//')) return [];
  return Object.keys(SLASH_COMMANDS)
    .map((name) => `/${name}`)
    .filter((name) => name.startsWith(line));
}
