import type { HitlError, JsonObject, JsonValue, ToolResponsePart } from '../../core/index.js';
import type { AskedCall } from './asked.js';
import { tooMuch } from './traffic.js';

/** Characters of what has come and nobody has taken yet. */
const MOST_QUEUED = 32_000_000;

/** A request of the agent that waits for the result of a call. */
export interface OpenRequest {
  readonly call: AskedCall;
  /** @param ran the input that ran, which a person may have changed */
  answer(response: Pick<ToolResponsePart, 'output' | 'isError'>, ran: JsonValue): void;
}

/** What happens in an agent's turn. */
export type AgentEvent =
  | { readonly type: 'update'; readonly update: JsonObject }
  | { readonly type: 'asked'; readonly request: OpenRequest }
  | { readonly type: 'stopped'; readonly reason: string }
  | { readonly type: 'failed'; readonly error: HitlError };

/** What has come from an agent, in order, until it is taken. */
export class AgentEvents {
  readonly #waiting: AgentEvent[] = [];
  /** How many of them were taken: a flood is never moved to the front one by one. */
  #taken = 0;
  #characters = 0;
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.#taken === this.#waiting.length;
  }

  /** Counts what has come. @throws HitlError MODEL_FAILED if nobody takes it, and it is too much */
  count(characters: number): void {
    this.#characters += characters;
    if (this.#characters > MOST_QUEUED) throw tooMuch('more than can be shown');
  }

  put(event: AgentEvent): void {
    this.#waiting.push(event);
    this.wake();
  }

  take(): AgentEvent | undefined {
    const event = this.#waiting[this.#taken];
    if (event !== undefined) this.#taken += 1;
    if (this.isEmpty) this.clear();
    return event;
  }

  /** Takes updates and requests, up to the end of a turn. */
  takeMore(): readonly AgentEvent[] {
    const left = this.#waiting.slice(this.#taken);
    const end = left.findIndex(({ type }) => type === 'stopped' || type === 'failed');
    const more = end === -1 ? left : left.slice(0, end);
    this.#taken += more.length;
    if (this.isEmpty) this.clear();
    return more;
  }

  clear(): void {
    this.#waiting.length = 0;
    this.#taken = 0;
    this.#characters = 0;
  }

  /** Ends a wait for news. */
  wake(): void {
    this.#wake?.();
  }

  /** Resolves when something comes, or the signal aborts: to `false`, so that it can be raced. */
  news(signal: AbortSignal): Promise<boolean> {
    if (!this.isEmpty || signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#wake = undefined;
        resolve(false);
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
