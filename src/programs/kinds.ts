/** Folder in which a program starts. */
export type Standing =
  /** Outside the session's folder: nothing there can replace the program's files. */
  | 'neutral'
  /** The folder that was trusted with it, or that a person named. */
  | 'given'
  /** The root of the file system: it needs no folder. */
  | 'root';

/** Folders in which a program is found by name. */
export type Lookup =
  /** Absolute folders of the user's search path outside the session's folder. */
  | 'fixed'
  /** System folders. */
  | 'system'
  /** None: it was found before, and shown. */
  | 'absolute';

interface KindRow {
  readonly stands: Standing;
  readonly looks: Lookup;
  /** Leads its own process group, which ends with this process in any case. */
  readonly endsWithUs?: true;
  /** Found outside the session's folder, although it starts in it. */
  readonly foundOutside?: true;
  /** When it is started. */
  readonly when: string;
}

/**
 * Every kind of program started here, and its rules (ADR 55). Programs not in this table are not started: no
 * other folder may import `node:child_process`.
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
  notify: { stands: 'neutral', looks: 'fixed', endsWithUs: true, when: '`notify`, when a question waits' },
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

/** The laws of a kind. */
export function lawsOf(kind: ProgramKind): KindRow {
  return PROGRAM_KINDS[kind];
}
