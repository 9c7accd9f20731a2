/** Folder in which a program starts. */
export type Standing =
  /** A folder outside the session's folder, so that session files cannot replace the program's files. */
  | 'neutral'
  /** The folder that was trusted together with the program, or that the user specified. */
  | 'given'
  /** The root of the file system, for programs that do not need a folder. */
  | 'root';

/** Folders in which a program is found by name. */
export type Lookup =
  /** The absolute folders on the user's search path that are outside the session's folder. */
  | 'fixed'
  /** System folders. */
  | 'system'
  /** None, because the program's path was found and shown earlier. */
  | 'absolute';

interface KindRow {
  readonly stands: Standing;
  readonly looks: Lookup;
  /** Whether the program leads its own process group, which always ends with this process. */
  readonly endsWithUs?: true;
  /** Whether the program must be outside the session's folder, even though it starts in that folder. */
  readonly foundOutside?: true;
  /** When the program is started. */
  readonly when: string;
}

/**
 * Every kind of program that hitl starts, with its rules (ADR 55). Programs not in this table are not
 * started: no other folder may import `node:child_process`.
 */
export const PROGRAM_KINDS = {
  'mcp-server': {
    stands: 'neutral',
    looks: 'fixed',
    endsWithUs: true,
    when: 'a server from your own configuration or `--mcp`, when a session starts',
  },
  'project-server': {
    stands: 'given',
    looks: 'fixed',
    endsWithUs: true,
    when: 'a trusted server from `.mcp.json`, when a session starts',
  },
  'library-server': {
    stands: 'given',
    looks: 'fixed',
    endsWithUs: true,
    when: 'a server that your program connects with `connectMcp`',
  },
  notify: {
    stands: 'neutral',
    looks: 'fixed',
    endsWithUs: true,
    when: '`notify`, when a question is waiting',
  },
  'key-command': {
    stands: 'neutral',
    looks: 'fixed',
    endsWithUs: true,
    when: '`apiKeyCommand`, when a key is needed',
  },
  reviewer: {
    stands: 'neutral',
    looks: 'fixed',
    endsWithUs: true,
    when: '`reviewer`, when a call would need approval in mode `auto`',
  },
  editor: { stands: 'neutral', looks: 'fixed', when: '`$EDITOR`, when the user requests it' },
  'acp-agent': {
    stands: 'given',
    looks: 'fixed',
    endsWithUs: true,
    foundOutside: true,
    when: 'an `--agent` agent, when it gets its first message',
  },
  'agent-version': {
    stands: 'neutral',
    looks: 'fixed',
    endsWithUs: true,
    when: 'an `--agent` agent, to get its version, when `hitl doctor` runs',
  },
  git: {
    stands: 'given',
    looks: 'fixed',
    foundOutside: true,
    when: 'git, to find changes in a folder',
  },
  command: { stands: 'given', looks: 'absolute', when: 'an approved command' },
  'own-command': { stands: 'given', looks: 'absolute', when: 'a command that the user typed after `!`' },
  tour: { stands: 'given', looks: 'absolute', when: 'hitl itself, during the tour' },
  'sandbox-trial': { stands: 'root', looks: 'absolute', when: 'once, to see what this system supports' },
  lock: { stands: 'root', looks: 'system', when: 'a session is opened for writing' },
  terminal: { stands: 'root', looks: 'system', when: 'typed input is hidden' },
  groups: { stands: 'root', looks: 'system', when: 'a question names a group' },
} as const satisfies Readonly<Record<string, KindRow>>;

/** A kind of program. */
export type ProgramKind = keyof typeof PROGRAM_KINDS;

/** Returns the rules for a kind of program. */
export function lawsOf(kind: ProgramKind): KindRow {
  return PROGRAM_KINDS[kind];
}
