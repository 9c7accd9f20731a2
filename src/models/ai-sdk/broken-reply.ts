/** An invalid reply. Another attempt may help if the reply was cut off, but not if it is malformed. */
export class BrokenReply extends Error {
  readonly isRetryable: boolean;

  constructor(message: string, isRetryable: boolean) {
    super(message);
    this.name = 'BrokenReply';
    this.isRetryable = isRetryable;
  }
}
