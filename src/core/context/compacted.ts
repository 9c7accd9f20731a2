/** The part of a conversation that a model is told in a summary. */
export interface Compacted {
  /** The number of messages that the summary stands for, from the first one on. */
  readonly to: number;
  /** The number of messages that there were when it was made. */
  readonly at: number;
  /** Words of a model. */
  readonly summary: string;
  /** The decisions of people in that part, from the journal. */
  readonly decisions: readonly string[];
}
