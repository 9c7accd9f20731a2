/** An error as the journal keeps it: never a stack, never a key. */
export interface ErrorRecord {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}
