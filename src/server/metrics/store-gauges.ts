// Invariants:
// G1 The store is asked at most once in five seconds, however often and by however many: what was told counts so long.
// G2 What is told are numbers: no title, no name of a person, no id of a session.
import type { Clock, Counted, SessionStore, SessionStatus, StoreTally } from '../../core/index.js';
import { INTERRUPT_KINDS, isQuestion } from '../../core/index.js';
import type { Gauge, Sample } from '../../telemetry/index.js';

/** Time for which the store's metrics are cached, in milliseconds. */
const COUNTS_MS = 5_000;
/** Maximum number of items read from a list if the store does not count them. */
const MOST_READ = 10_000;

/** Reports the contents of a store as metrics. */
export class StoreGauges {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  #asked: { readonly at: number; readonly gauges: Promise<readonly Gauge[]> } | undefined;

  constructor(store: SessionStore, clock: Clock) {
    this.#store = store;
    this.#clock = store.clock ?? clock; // ages are by whoever stamped what is old
  }

  /** Returns metrics about the store. If it is unavailable, returns only `hitl_store_up`. */
  now(): Promise<readonly Gauge[]> {
    const at = this.#clock.now();
    if (this.#asked === undefined || at - this.#asked.at >= COUNTS_MS)
      this.#asked = { at, gauges: this.#gauges() }; // G1
    return this.#asked.gauges;
  }

  async #gauges(): Promise<readonly Gauge[]> {
    const up = (value: number): Gauge => ({
      name: 'hitl_store_up',
      description: 'Whether the store answered: 1 (yes) or 0 (no; the other metrics are missing).',
      samples: [{ value }],
    });
    try {
      const { tally, origin } = this.#store.capabilities;
      const found = await (tally === undefined ? read(this.#store) : tally());
      const seen = await origin?.look();
      return [up(1), copyGauge(seen?.isCopy), ...told(found, this.#clock.now())];
    } catch {
      return [up(0)]; // whoever reads them sees that it is away
    }
  }
}

function copyGauge(isCopy: boolean | undefined): Gauge {
  return {
    name: 'hitl_store_copy',
    description: 'Whether the store is an unconfirmed copy: 1 (yes; no session runs) or 0 (no).',
    samples: isCopy === undefined ? [] : [{ value: isCopy ? 1 : 0 }],
  };
}

type Told = Pick<StoreTally, 'open' | 'sessions'> & Partial<StoreTally>;

function told({ open, sessions, held, due, failing }: Told, now: number): readonly Gauge[] {
  const gauge = (name: string, description: string, samples: readonly Sample[]): Gauge => ({
    name,
    description,
    samples,
  });
  const one = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [{ value }]);
  return [
    gauge('hitl_open_interrupts', 'Open interrupts, by kind; counted up to 10000.', counts('kind', open)),
    gauge('hitl_oldest_interrupt_seconds', 'Age of the oldest open interrupt, by kind.', ages(open, now)),
    gauge('hitl_sessions', 'Sessions, by state; counted up to 10000.', counts('state', sessions)),
    gauge('hitl_sessions_held', 'Sessions held by a process; counted up to 10000.', one(held)),
    gauge(
      'hitl_due_sessions',
      'Due sessions that no worker has resumed, by reason; counted up to 10000.',
      due === undefined ? [] : counts('kind', due),
    ),
    gauge(
      'hitl_oldest_due_seconds',
      'How long the oldest due session has been due, by reason.',
      due === undefined ? [] : ages(due, now),
    ),
    gauge('hitl_sessions_failing', 'Sessions that failed five or more times in a row.', one(failing)),
  ];
}

function counts(label: string, all: readonly Counted<string>[]): readonly Sample[] {
  return all.map(({ name, count }) => ({ labels: { [label]: name }, value: count }));
}

/** Converts counts to ages. For an empty count the age is 0, so that alerts always have a value. */
function ages(all: readonly Counted<string>[], now: number): readonly Sample[] {
  return all.map(({ name, oldest = now }) => ({
    labels: { kind: name },
    value: Math.max(0, (now - oldest) / 1_000),
  }));
}

const STATES = ['done', 'waiting', 'interrupted', 'failed'] as const satisfies readonly SessionStatus[];

/** Counts the contents of a store that cannot count them itself, such as a folder. */
async function read(store: SessionStore): Promise<Told> {
  const open = new Map<string, { count: number; oldest: number }>();
  for await (const { interrupt } of store.waiting({ limit: MOST_READ })) {
    const at = Date.parse(interrupt.raisedAt);
    const kind = isQuestion(interrupt) ? interrupt.kind : 'wait';
    const before = open.get(kind);
    if (before === undefined) open.set(kind, { count: 1, oldest: at });
    else before.count += 1; // the oldest comes first
  }
  const states = new Map<string, number>();
  for await (const { status } of store.list({ limit: MOST_READ }))
    states.set(status, (states.get(status) ?? 0) + 1);
  return {
    open: ([...INTERRUPT_KINDS, 'wait'] as const).map((name) => ({ name, count: 0, ...open.get(name) })),
    sessions: STATES.map((name) => ({ name, count: states.get(name) ?? 0 })),
  };
}
