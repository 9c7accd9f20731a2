// Invariants:
// T1 Nothing waits for a collector but `flush`, and that no longer than it is told.
// T2 What a collector does not take is kept up to a bound, and the oldest goes; the first failure is told, and no other.
// T3 Headers, which hold keys, leave this machine encrypted unless somebody agreed (`core/told/in-the-clear.ts`).
import type { Clock } from '../core/index.js';
import { checkClear, messageOf, sendingTo, withinTime } from '../core/index.js';
import type { EndedSpan } from './otlp-body.js';
import { otlpBody } from './otlp-body.js';
import type { Attributes } from './tracer.js';
import { namedFetch } from '../outgoing/named-fetch.js';

/** The collector that `otlpTracer` sends spans to, and the attributes of the program. */
export interface Collector {
  /** `http://localhost:4318/v1/traces` */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The attributes of the program, for example `{ 'service.name': 'deploys' }`. */
  readonly resource: Attributes;
  readonly clock: Clock;
  /** Time limit for a request, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Whether headers may be sent unencrypted to another machine. Default: false. */
  readonly allowHttp?: boolean;
  /** Called with a message on the first failure only. */
  readonly notice?: (text: string) => void;
}

const TIMEOUT_MS = 10_000;
/** Delay before sending a batch, and after a failure, in milliseconds. */
const PAUSE_MS = 5_000;
const BATCH = 512;
const MOST = 4_096;

/** Sends spans to a collector over OTLP/HTTP as JSON, in batches. */
export class SpanSender {
  readonly #collector: Collector;
  #queue: EndedSpan[] = [];
  #isDue = false;
  #sending: Promise<void> | undefined;
  #isDown = false;
  #isTold = false;

  /** @throws HitlError BAD_CONFIG if headers would be sent to another machine unencrypted (T3) */
  constructor(collector: Collector) {
    const { url, headers = {}, allowHttp } = collector;
    if (Object.keys(headers).length > 0 && URL.canParse(url))
      checkClear(sendingTo(new URL(url), 'the headers for the collector'), allowHttp);
    this.#collector = collector;
  }

  add(span: EndedSpan): void {
    this.#queue.push(span);
    if (this.#queue.length > MOST) this.#queue = this.#queue.slice(BATCH);
    if (this.#queue.length >= BATCH && !this.#isDown) void this.#send();
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#isDown = false;
      void this.#send();
    }, PAUSE_MS).unref();
  }

  /**
   * Resolves when all spans are sent, the collector refuses them, or the time limit expires. Never rejects.
   */
  async flush(patienceMs: number): Promise<void> {
    await this.#within(patienceMs, async () => {
      while (this.#queue.length > 0 && !this.#isDown) await this.#send();
      await this.#sending;
    }).catch((thrown: unknown) => {
      this.#failed(messageOf(thrown));
    });
  }

  #within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = (): Error => new Error(`no answer within ${ms} ms`);
    return withinTime(work, { clock: this.#collector.clock, ms, late }, new AbortController().signal);
  }

  /** Sends the next batch, or returns the request that is already in progress. */
  #send(): Promise<void> {
    return (this.#sending ??= this.#sendBatch().finally(() => {
      this.#sending = undefined;
    }));
  }

  async #sendBatch(): Promise<void> {
    const spans = this.#queue.splice(0, BATCH);
    if (spans.length === 0) return;
    const problem = await this.#post(spans);
    if (problem === undefined) return;
    if (problem.isPassing) this.#queue = [...spans, ...this.#queue];
    this.#failed(problem.text);
  }

  async #post(spans: readonly EndedSpan[]): Promise<Problem | undefined> {
    const { url, headers, resource, timeoutMs = TIMEOUT_MS } = this.#collector;
    try {
      return await this.#within(timeoutMs, async (signal) => {
        const response = await namedFetch(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: otlpBody(resource, spans),
          redirect: 'error', // the headers are for the address that was given
          signal,
        });
        await response.body?.cancel();
        if (response.ok) return undefined;
        return { text: `status ${response.status}`, isPassing: PASSING.has(response.status) };
      });
    } catch (thrown) {
      return { text: reasonOf(thrown), isPassing: true };
    }
  }

  #failed(why: string): void {
    this.#isDown = true;
    if (this.#isTold) return;
    this.#isTold = true;
    const { origin, pathname } = new URL(this.#collector.url);
    this.#collector.notice?.(`cannot send spans to ${origin}${pathname}: ${why}`);
  }
}

interface Problem {
  readonly text: string;
  /** Whether a retry may succeed. */
  readonly isPassing: boolean;
}

/** HTTP status codes that OTLP defines as retryable. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Returns the cause of a failed `fetch`. Omits the message for an invalid request, because it would contain
 * the secrets of the request.
 */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof TypeError)) return messageOf(thrown);
  return thrown.cause === undefined ? 'invalid header or URL' : messageOf(thrown.cause);
}
