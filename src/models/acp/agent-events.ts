import type { HitlError, JsonObject, JsonValue, ToolResponsePart } from '../../core/index.js';
import type { AskedCall } from './asked.js';
import { tooMuch } from './traffic.js';

/** Maximum number of received characters that have not been processed yet. */
const MOST_QUEUED = 32_000_000;

/** An agent's request that is waiting for the result of a call. */
export interface OpenRequest {
  readonly call: AskedCall;
  /** @param ran the input of the call that ran, which a person may have changed */
  answer(response: Pick<ToolResponsePart, 'output' | 'isError'>, ran: JsonValue): void;
}

/** An event in an agent's turn. */
export type AgentEvent =
  | { readonly type: 'update'; readonly update: JsonObject }
  | { readonly type: 'asked'; readonly request: OpenRequest }
  | { readonly type: 'stopped'; readonly reason: string }
  | { readonly type: 'failed'; readonly error: HitlError };

/** Queue of events received from an agent. */
export class AgentEvents {
  readonly #waiting: AgentEvent[] = [];
  /**
   * Number of events taken from the queue. They are counted so that the other events do not have to be moved
   * each time one is taken.
   */
  #taken = 0;
  #characters = 0;
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.#taken === this.#waiting.length;
  }

  /**
   * Adds to the number of received characters.
   * @throws HitlError MODEL_FAILED if too many have not been processed yet
   */
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

  /** Takes all waiting updates and requests, but stops before an event that ends the turn. */
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

  /** Wakes a caller that is waiting for new events. */
  wake(): void {
    this.#wake?.();
  }

  /**
   * Resolves as soon as an event is available or the signal aborts. The value is always `false`, which
   * distinguishes this result from a timeout in `Promise.race`.
   */
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
