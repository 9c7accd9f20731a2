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
    when: 'a server of your own configuration, or of `--mcp`, when a session begins',
  },
  'project-server': {
    stands: 'given',
    looks: 'fixed',
    endsWithUs: true,
    when: 'a trusted server of `.mcp.json`, when a session begins',
  },
  'library-server': {
    stands: 'given',
    looks: 'fixed',
    endsWithUs: true,
    when: 'a server that a program of yours names by `connectMcp`',
  },
  notify: {
    stands: 'neutral',
    looks: 'fixed',
    endsWithUs: true,
    when: '`notify`, when a question waits',
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
    when: '`reviewer`, when a call would be asked about in mode `auto`',
  },
  editor: { stands: 'neutral', looks: 'fixed', when: '`$EDITOR`, when a person asks for it' },
  'acp-agent': {
    stands: 'given',
    looks: 'fixed',
    endsWithUs: true,
    foundOutside: true,
    when: 'an agent of `--agent`, when it is first spoken to',
  },
  'agent-version': {
    stands: 'neutral',
    looks: 'fixed',
    endsWithUs: true,
    when: 'an agent of `--agent`, for its version, when `hitl doctor` is run',
  },
  git: {
    stands: 'given',
    looks: 'fixed',
    foundOutside: true,
    when: 'git, to tell what changed in a folder',
  },
  command: { stands: 'given', looks: 'absolute', when: 'an approved command' },
  'own-command': { stands: 'given', looks: 'absolute', when: 'a command that a person typed after `!`' },
  tour: { stands: 'given', looks: 'absolute', when: 'this program itself, in its tour' },
  'sandbox-trial': { stands: 'root', looks: 'absolute', when: 'once, to see what this system supports' },
  lock: { stands: 'root', looks: 'system', when: 'a session is opened to write' },
  terminal: { stands: 'root', looks: 'system', when: 'typed letters are hidden' },
  groups: { stands: 'root', looks: 'system', when: 'a question names a group' },
} as const satisfies Readonly<Record<string, KindRow>>;

/** A kind of program. */
export type ProgramKind = keyof typeof PROGRAM_KINDS;

/** Returns the rules for a kind of program. */
export function lawsOf(kind: ProgramKind): KindRow {
  return PROGRAM_KINDS[kind];
}
