/** A reply that breaks the rules: asking again may help where it was cut, and not where it is made wrong. */
export class BrokenReply extends Error {
  readonly isRetryable: boolean;

  constructor(message: string, isRetryable: boolean) {
    super(message);
    this.name = 'BrokenReply';
    this.isRetryable = isRetryable;
  }
}
