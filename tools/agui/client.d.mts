interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: unknown;
}

/** What the test uses of the client; there is more of it. */
export class HttpAgent {
  constructor(options: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly threadId: string;
    readonly initialMessages: readonly {
      readonly id: string;
      readonly role: 'user';
      readonly content: string;
    }[];
  });
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly pendingInterrupts: readonly {
    readonly id: string;
    readonly reason: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
  }[];
  runAgent(
    input: { readonly resume?: readonly ResumeEntry[] },
    subscriber?: {
      readonly onRunErrorEvent: (given: { readonly event: { readonly code?: string } }) => void;
    },
  ): Promise<unknown>;
}
