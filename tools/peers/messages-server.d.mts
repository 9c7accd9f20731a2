/** A reply of the server, or the error that it gives. */
export interface MessagesReply {
  readonly content?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly reasoning?: string;
  readonly reasoningSignature?: string;
  readonly redactedThinking?: readonly string[];
  readonly error?: { readonly type: string; readonly message: string };
  readonly status?: number;
  readonly retryAfter?: number;
}

/** As much of a server of the Messages API as tests use. */
export class MessagesServer {
  constructor(options: { readonly port: number; readonly logLevel: 'silent' });
  readonly url: string;
  start(): Promise<string>;
  stop(): Promise<void>;
  on(match: { readonly userMessage: string; readonly hasToolResult: boolean }, reply: MessagesReply): this;
  onMessage(
    pattern: string,
    reply: MessagesReply,
    options?: {
      readonly chunkSize?: number;
      readonly latency?: number;
      readonly truncateAfterChunks?: number;
    },
  ): this;
  nextRequestError(status: number, error: { readonly type: string; readonly message: string }): this;
  getRequests(): readonly { readonly path: string }[];
  clearFixtures(): this;
  clearRequests(): void;
  resetMatchCounts(): this;
}
