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

/** The collector of `otlpTracer`, and the program's attributes. */
export interface Collector {
  /** `http://localhost:4318/v1/traces` */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Attributes of the program: `{ 'service.name': 'deploys' }`. */
  readonly resource: Attributes;
  readonly clock: Clock;
  /** Time limit of a request in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Allows sending headers unencrypted to another machine. Default false. */
  readonly allowHttp?: boolean;
  /** Called once, with the first failure. */
  readonly notice?: (text: string) => void;
}

const TIMEOUT_MS = 10_000;
/** The time that spans wait for others, and after a failure of the collector. */
const PAUSE_MS = 5_000;
const BATCH = 512;
const MOST = 4_096;

/** Sends spans to a collector over OTLP/HTTP as JSON, some at a time. */
export class SpanSender {
  readonly #collector: Collector;
  #queue: EndedSpan[] = [];
  #isDue = false;
  #sending: Promise<void> | undefined;
  #isDown = false;
  #isTold = false;

  /** @throws HitlError BAD_CONFIG where headers would leave this machine unencrypted (T3) */
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

  /** Resolves when all is sent, the collector refuses it, or the time is over. Never rejects. */
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

  /** Sends one request at a time. */
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
    this.#collector.notice?.(`spans are not accepted by ${origin}${pathname}: ${why}`);
  }
}

interface Problem {
  readonly text: string;
  /** Whether the next request may succeed. */
  readonly isPassing: boolean;
}

/** The statuses that OTLP names as retryable. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Uses the cause of `fetch failed`. An impossible request's message would contain its secrets. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof TypeError)) return messageOf(thrown);
  return thrown.cause === undefined ? 'its address or a header cannot be sent' : messageOf(thrown.cause);
}
