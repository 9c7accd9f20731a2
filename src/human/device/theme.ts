/** The style of hitl's text; every function takes plain text and returns it with or without color. */
export interface TerminalTheme {
  /** The request. */
  readonly title: (text: string) => string;
  /** A key to press. */
  readonly key: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly warning: (text: string) => string;
  /** Stops of hitl itself: a limit, a pause. */
  readonly stop: (text: string) => string;
  readonly error: (text: string) => string;
  readonly success: (text: string) => string;
  /** Text that an edit removes, and its replacement. */
  readonly removed: (text: string) => string;
  readonly added: (text: string) => string;
  /** The changed part of a line; absent without colors. */
  readonly changed?: (text: string) => string;
  /** Backgrounds of changed rows and of the words in them; absent with fewer than 256 colors. */
  readonly grounds?: Readonly<Record<'removed' | 'added', Grounds>>;
  /** Syntax highlighting; absent without colors. */
  readonly syntax?: Readonly<Record<CodeKind, (text: string) => string>>;
}

/** The background of a changed row, and of the words in it that changed. */
export interface Grounds {
  readonly row: (text: string) => string;
  readonly words: (text: string) => string;
}

/** The kinds of code that have a color of their own. */
export type CodeKind = 'keyword' | 'string' | 'number' | 'comment' | 'name';

const same = (text: string) => text;

/** A theme without colors. */
export const plainTheme: TerminalTheme = {
  title: same,
  key: same,
  dim: same,
  warning: same,
  stop: same,
  error: same,
  success: same,
  removed: same,
  added: same,
};
