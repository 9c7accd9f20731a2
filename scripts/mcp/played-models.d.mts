/** A turn of the model: a call, or a text. */
export interface PlayedTurn {
  readonly tool?: string;
  readonly input?: object;
  readonly text?: string;
}

/** The same, or several calls at once. */
export interface PlayedTurns extends PlayedTurn {
  readonly calls?: readonly Pick<PlayedTurn, 'tool' | 'input'>[];
}

interface PlayedModel {
  readonly url: string;
  readonly results: readonly unknown[];
  stop(): Promise<void> | void;
}

/** Plays turns as the Messages API; `prefix` comes before the name of each tool, by default that of a server that is called hitl. */
export function playMessages(turns: readonly PlayedTurn[], prefix?: string): Promise<PlayedModel>;

/** Plays turns as the Responses API; each tool stands in a namespace, by default that of a server that is called hitl. */
export function playResponses(turns: readonly PlayedTurns[], namespace?: string): Promise<PlayedModel>;
