import type {
  Activation,
  Effect,
  InterruptDraft,
  JsonObject,
  JsonValue,
  SessionEvent,
} from '../core/index.js';
import { deepFreeze, HitlError } from '../core/index.js';
import { checkJson } from './check-state.js';
import { questionDraft } from './drafts.js';
import type { NodeBody, NodeContext, NodeQuestion } from './graph-definition.js';

/** What a body tells of while it runs: events that must be durable before it goes on. */
export interface BodyArrival {
  readonly events: readonly SessionEvent[];
  readonly kept: () => void;
}

/** How a body ended. */
export type BodyEnd =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'asked'; readonly drafts: readonly InterruptDraft[] }
  | { readonly type: 'threw'; readonly thrown: unknown };

export interface BodyOptions {
  readonly state: JsonObject;
  readonly path: string;
  readonly idempotencyKey: string;
  readonly timeoutMs?: number;
  readonly tell: (arrival: BodyArrival) => void;
}

/** What `ask` throws: not an error. That it was thrown is remembered, so that no `catch` of the body hides it. */
const ASKED = Object.freeze({ [Symbol.for('hitl.ask')]: true });

/** Runs a node's body once, from its top. Answers and steps of earlier attempts are given again. */
export async function runBody(
  body: NodeBody,
  current: Activation,
  options: BodyOptions,
  signal: AbortSignal,
): Promise<BodyEnd> {
  const { timeoutMs } = options;
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const scope = timeout === undefined ? signal : AbortSignal.any([signal, timeout]);
  const asked: InterruptDraft[] = [];
  const context = new BodyContext(current, options, scope, asked);
  let end: BodyEnd;
  try {
    const running = Promise.resolve(body(deepFreeze(options.state), context));
    const value = await (timeout === undefined
      ? running
      : Promise.race([running, expiry(timeout, timeoutMs)]));
    end = { type: 'returned', value };
  } catch (thrown) {
    end = { type: 'threw', thrown };
  }
  return asked.length > 0 ? { type: 'asked', drafts: asked } : end;
}

async function expiry(timeout: AbortSignal, timeoutMs: number | undefined): Promise<never> {
  await new Promise<void>((resolve) => {
    timeout.addEventListener('abort', () => {
      resolve();
    });
  });
  throw new HitlError('NODE_FAILED', `it took longer than ${timeoutMs ?? 0} ms`);
}

class BodyContext implements NodeContext {
  readonly path: string;
  readonly node: string;
  readonly visit: number;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly guidance: readonly string[];
  readonly input: JsonValue | undefined;
  readonly idempotencyKey: string;
  readonly #current: Activation;
  readonly #options: BodyOptions;
  readonly #asked: InterruptDraft[];
  #asks = 0;

  constructor(current: Activation, options: BodyOptions, signal: AbortSignal, asked: InterruptDraft[]) {
    this.path = options.path;
    this.node = current.node;
    this.visit = current.visit;
    this.attempt = current.attempts;
    this.signal = signal;
    this.guidance = current.guidance;
    this.input = current.input?.value;
    this.idempotencyKey = options.idempotencyKey;
    this.#current = current;
    this.#options = options;
    this.#asked = asked;
  }

  ask(question: NodeQuestion): Promise<JsonValue> {
    const record = this.#current.asks[this.#asks];
    this.#asks += 1;
    if (record?.answer !== undefined) return Promise.resolve(record.answer.value);
    if (record === undefined) this.#asked.push(questionDraft(this.#current, question));
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- not an error: it stops the body
    return Promise.reject(ASKED);
  }

  async step(
    key: string,
    body: () => unknown,
    { effect = 'once' }: { readonly effect?: Effect } = {},
  ): Promise<JsonValue> {
    const { node, visit, steps } = this.#current;
    const kept = steps[key];
    if (kept?.status === 'settled' && kept.output !== undefined) return kept.output;
    await this.#keep({ type: 'step-started', node, visit, key, effect });
    const value = await body();
    const output = checkJson(value ?? null, `the result of step \`${key}\``, { node });
    await this.#keep({ type: 'step-settled', node, visit, key, output });
    return output;
  }

  async #keep(event: SessionEvent): Promise<void> {
    await new Promise<void>((kept) => {
      this.#options.tell({ events: [event], kept });
    });
  }
}
