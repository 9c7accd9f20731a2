/** A turn of the model: a call, or a text. */
export interface PlayedTurn {
  readonly tool?: string;
  readonly input?: object;
  readonly text?: string;
}

/** Plays turns as the Messages API; `prefix` comes before the name of each tool, by default that of a server that is called hitl. */
export function playMessages(
  turns: readonly PlayedTurn[],
  prefix?: string,
): Promise<{ readonly url: string; readonly results: readonly unknown[]; stop(): Promise<void> }>;
