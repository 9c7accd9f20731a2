import type { Offer } from '../../src/human/index.js';

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

/** The commands that a line so far may become, each with what it does. */
export function slashOffers(line: string): readonly Offer[] {
  if (!line.startsWith('/') || line.startsWith('//')) return [];
  return Object.entries(SLASH_COMMANDS).flatMap(([name, help]) => {
    const command = `/${name}`;
    return command.startsWith(line) && command !== line ? [{ line: command, label: command, help }] : [];
  });
}
