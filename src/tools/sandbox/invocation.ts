/** A program with arguments. */
export interface Invocation {
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
}
