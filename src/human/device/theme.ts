/** The look of words of the product; every function takes plain text and returns it with or without colour. */
export interface TerminalTheme {
  /** The thing that is asked. */
  readonly title: (text: string) => string;
  /** A key that can be pressed. */
  readonly key: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly warning: (text: string) => string;
  /** The stops of the product itself: a limit, a pause. */
  readonly stop: (text: string) => string;
  readonly error: (text: string) => string;
  readonly success: (text: string) => string;
  /** The text that an edit takes away, and the one that it puts in its place. */
  readonly removed: (text: string) => string;
  readonly added: (text: string) => string;
  /** The part of a changed line that is another; absent where there are no colours. */
  readonly changed?: (text: string) => string;
  /** The pieces of code by what they are; absent where there are no colours. */
  readonly syntax?: Readonly<Record<CodeKind, (text: string) => string>>;
}

/** The kind of a piece of code, as far as it has a colour. */
export type CodeKind = 'keyword' | 'string' | 'number' | 'comment' | 'name';

const same = (text: string) => text;

/** No colour at all. */
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
