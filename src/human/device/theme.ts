/** How words of the product look; every function takes plain text and returns it with or without colour. */
export interface TerminalTheme {
  /** What is asked. */
  readonly title: (text: string) => string;
  /** A key that can be pressed. */
  readonly key: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly warning: (text: string) => string;
  readonly error: (text: string) => string;
  readonly success: (text: string) => string;
  /** What an edit takes away, and what it puts in its place. */
  readonly removed: (text: string) => string;
  readonly added: (text: string) => string;
}

const same = (text: string) => text;

/** No colour at all. */
export const plainTheme: TerminalTheme = {
  title: same,
  key: same,
  dim: same,
  warning: same,
  error: same,
  success: same,
  removed: same,
  added: same,
};
