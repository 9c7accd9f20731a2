/** The styles of hitl's text. Every function takes plain text and returns it with or without color. */
export interface TerminalTheme {
  /** The request. */
  readonly title: (text: string) => string;
  /** A key to press. */
  readonly key: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly warning: (text: string) => string;
  /** Stops caused by hitl itself, such as a limit or a pause. */
  readonly stop: (text: string) => string;
  readonly error: (text: string) => string;
  readonly success: (text: string) => string;
  /** Text removed by an edit, and its replacement. */
  readonly removed: (text: string) => string;
  readonly added: (text: string) => string;
  /** The changed part of a line; absent without colors. */
  readonly changed?: (text: string) => string;
  /**
   * Backgrounds of changed rows and of the changed words in them; absent if there are fewer than 256 colors.
   */
  readonly grounds?: Readonly<Record<'removed' | 'added', Grounds>>;
  /** Syntax highlighting; absent without colors. */
  readonly syntax?: Readonly<Record<CodeKind, (text: string) => string>>;
}

/** The background of a changed row, and of the changed words in it. */
export interface Grounds {
  readonly row: (text: string) => string;
  readonly words: (text: string) => string;
}

/** The kinds of code that have their own colors. */
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
