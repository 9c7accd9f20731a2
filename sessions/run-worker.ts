import type {
  Clock,
  ErrorRecord,
  HitlErrorCode,
  Lack,
  Lacking,
  Session,
  SessionId,
  SessionStore,
  Worklist,
} from '../src/core/index.js';
import { fireDue, HitlError, isHitlError, hasPassed, messageOf } from '../src/core/index.js';
import { dueOf } from './format/summary.js';
import { needsOf } from './format/needs.js';
import { worklistOf } from './listed-worklist.js';

// Invariants:
// K1 What is due by time is kept before anything else runs, also where the agent is not known here: time approves
//    nothing, and needs no tool.
// K2 A session rests only where nothing is to be done in it; one that stands still all the same is postponed.
// K3 One broken session stops no other, and no failure of the store ends a worker.
// K5 Whoever finds that the store is of a version that it does not know, or cannot be used as it is set up, takes nothing
//    more, and ends when all rests.
// K4 A session that nothing here can run is as it was: no attempt of it is counted, and it is looked at ever more seldom.
//    Nor are others tried that need the same; one of them is, each time, so that none stands for all.

/** The result of one work item. */
export interface WorkDone {
  readonly session: SessionId;
  /**
   * `unknown`: this worker lacks the session's agent and leaves the session to other workers. `left`: the
   * worker was stopped.
   */
  readonly result: 'rests' | 'unknown' | 'failed' | 'left';
  readonly error?: ErrorRecord;
}

/** The reason that this worker cannot run a session. */
export interface NotHere {
  readonly result: 'unknown';
  /** Text to show to people. It may come from another machine. */
  readonly why: string;
  /**
   * Whether the reason applies only to this session, so that other sessions of the same agent may run here.
   * Default: false.
   */
  readonly isAlone?: boolean;
}

const NOT_KNOWN: NotHere = { result: 'unknown', why: 'its agent is unknown' };

/** Options for a worker. */
export interface WorkerOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  /** Stops the worker: it accepts no new work and waits for running sessions. */
  readonly signal: AbortSignal;
  /**
   * Stops running sessions. Default: `signal`. Use a signal that aborts later to give the sessions time to
   * finish.
   */
  readonly leave?: AbortSignal;
  /**
   * Resumes a session and runs it until it stops. The signal aborts if the worker is stopped or loses the
   * session.
   * @returns `unknown` if this worker lacks the session's agent. Other sessions of that agent are then not
   * tried for a while.
   */
  readonly handle: (session: Session, signal: AbortSignal) => Promise<'rests' | 'unknown' | NotHere>;
  /** Maximum number of sessions running at the same time. Default: 1. */
  readonly slots?: number;
  /** The program's name and version, for status displays. Default: unknown. */
  readonly program?: string;
  /** Called after each work item, with its duration in milliseconds. */
  readonly told?: (done: WorkDone, tookMs: number) => void;
  /** Called when the store fails. The worker tries again. */
  readonly failed?: (error: unknown) => void;
}

/**
 * First period, in milliseconds, for which a session with an unknown agent is left to other workers. The
 * period doubles each time.
 */
const SHUN_MS = 30_000;
const LONGEST_SHUN_MS = 600_000;
/** Time, in milliseconds, during which another session with the same requirements is tried first. */
const OTHERS_MS = 5_000;
/** Time, in milliseconds, for which queued input and timers of a skipped session are not checked again. */
const STILL_MS = 1_000;
/** Number of beats during one store check after which the worker is considered stuck. */
const MOST_BEATS = 24;
const BEAT_MS = 5_000;
/** Store errors that only people can fix. They end the worker (K5). */
const ENDING: ReadonlySet<HitlErrorCode> = new Set(['SESSION_NEWER', 'BAD_CONFIG']);
/** Pause after a store failure, in milliseconds. */
const STORE_MS = 1_000;

/**
 * Resumes due sessions until the signal aborts and running sessions have ended.
 * @throws HitlError STORE_UNAVAILABLE if no store check has finished for two minutes, so that a supervisor
 * can restart the worker. SESSION_NEWER or BAD_CONFIG if the store cannot be used, after running sessions
 * have ended.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { clock, signal } = options;
  const heart = new Heart(clock);
  const ended = new AbortController();
  try {
    await Promise.race([work(options, heart, ended.signal), heart.stopped(signal, ended.signal)]);
  } finally {
    ended.abort();
  }
}

/**
 * Detects a check of the store that never ends. Counts beats rather than time, so that periods in which the
 * process is suspended are ignored.
 */
class Heart {
  readonly #clock: Clock;
  #beats = 0;
  #isLooking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a check. */
  looks(): void {
    this.#isLooking = true;
    this.#beats = 0;
  }

  /** Ends a check. */
  looked(): void {
    this.#beats = 0;
  }

  /** Stops counting beats until the next check. */
  rests(): void {
    this.#isLooking = false;
  }

  /**
   * Rejects if a check is stuck; otherwise resolves when `ended` aborts. @throws HitlError STORE_UNAVAILABLE
   */
  async stopped(signal: AbortSignal, ended: AbortSignal): Promise<void> {
    while (await hasPassed(this.#clock.sleep(BEAT_MS, ended))) {
      this.#beats = this.#isLooking && !signal.aborted ? this.#beats + 1 : 0;
      if (this.#beats > MOST_BEATS)
        throw new HitlError(
          'STORE_UNAVAILABLE',
          `the worker is stuck: no store check has finished for ${(MOST_BEATS * BEAT_MS) / 1_000} s`,
          { hint: 'restart it; confirmed data is not lost' },
        );
    }
  }
}

/**
 * Runs the worker and keeps it registered in the store while it runs. @param over aborts when the worker is
 * abandoned
 */
async function work(options: WorkerOptions, heart: Heart, over: AbortSignal): Promise<void> {
  const { store, clock, slots = 1, program = '' } = options;
  const busy = new Set<Promise<void>>();
  const shunned = new Shunned(clock);
  const announced = new AbortController();
  const now = () => ({ program, slots, busy: busy.size, lacks: shunned.lacks() });
  const announcing = store.capabilities.workers?.announce(now, AbortSignal.any([announced.signal, over]));
  try {
    await workOff(options, { heart, busy, shunned });
  } finally {
    announced.abort();
    await announcing;
  }
}

interface AtWork {
  readonly heart: Heart;
  readonly busy: Set<Promise<void>>;
  readonly shunned: Shunned;
}

async function workOff(options: WorkerOptions, { heart, busy, shunned }: AtWork): Promise<void> {
  const { store, clock, signal, leave = signal, slots = 1, failed } = options;
  const worklist = worklistOf(store, clock);
  const stops = new Stops(leave);
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
  while (!signal.aborted) {
    if (busy.size >= slots) {
      await Promise.race([...busy, ended]);
      continue;
    }
    try {
      heart.looks();
      const session = await worklist.claim(signal, {
        without: () => shunned.still(),
        lacking: () => shunned.now(),
        looked: () => {
          heart.looked();
        },
      });
      heart.rests();
      if (session === undefined) continue;
      const from = clock.now();
      const work = workOn(session, { ...options, worklist, stops, shunned }).then((done) => {
        options.told?.(done, clock.now() - from);
      });
      const settled = work.catch((thrown: unknown) => failed?.(thrown)).then(() => void busy.delete(settled));
      busy.add(settled);
    } catch (thrown) {
      heart.rests();
      failed?.(thrown); // K3
      if (isHitlError(thrown) && ENDING.has(thrown.code)) {
        await Promise.all(busy); // K5
        throw thrown;
      }
      await clock.sleep(STORE_MS, signal).catch(() => undefined);
    }
  }
  await Promise.all(busy);
}

interface Shun {
  readonly until: number;
  readonly ms: number;
  readonly why: string;
}

/** Sessions and requirements that are left to other workers for a while (K4). */
class Shunned {
  readonly #clock: Clock;
  readonly #sessions = new Map<SessionId, Shun>();
  readonly #needs = new Map<string, Shun>();
  readonly #still = new Map<SessionId, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Records that a session cannot run here. If its requirements are already known to be missing, only pauses
   * the session briefly.
   */
  leave(id: SessionId, needs: string | undefined, how: 'unknown' | NotHere): void {
    if (!this.has(needs)) {
      const { why, isAlone } = how === 'unknown' ? NOT_KNOWN : how;
      const isOfAgent = needs !== undefined && isAlone !== true;
      this.#add(this.#sessions, id, why, isOfAgent ? OTHERS_MS : 0);
      if (isOfAgent) this.#add(this.#needs, needs, why, 0);
    }
    this.#still.set(id, this.#clock.now() + STILL_MS);
  }

  #add<Key>(of: Map<Key, Shun>, key: Key, why: string, more: number): void {
    const ms = Math.min(LONGEST_SHUN_MS, (of.get(key)?.ms ?? SHUN_MS / 2) * 2);
    of.set(key, { until: this.#clock.now() + ms + more, ms, why });
  }

  forget(id: SessionId, needs: string | undefined): void {
    this.#sessions.delete(id);
    if (needs !== undefined) this.#needs.delete(needs);
  }

  has(needs: string | undefined): boolean {
    return needs !== undefined && (this.#needs.get(needs)?.until ?? 0) > this.#clock.now();
  }

  /** Returns the requirements that this worker lacks, including those that are about to be tried again. */
  lacks(): readonly Lack[] {
    return [...this.#needs].map(([needs, { why }]) => ({ needs, why }));
  }

  /** Returns the sessions that are currently paused. */
  still(): ReadonlySet<SessionId> {
    const now = this.#clock.now();
    for (const [id, until] of this.#still) if (until <= now) this.#still.delete(id);
    return new Set(this.#still.keys());
  }

  /**
   * Returns the sessions and requirements to skip at the moment. Removes entries that expired more than twice
   * the longest period ago.
   */
  now(): Lacking {
    return { sessions: this.#shunned(this.#sessions), needs: this.#shunned(this.#needs) };
  }

  #shunned<Key>(of: Map<Key, Shun>): ReadonlySet<Key> {
    const now = this.#clock.now();
    for (const [key, { until }] of of) if (until + 2 * LONGEST_SHUN_MS <= now) of.delete(key);
    return new Set([...of].flatMap(([key, { until }]) => (until > now ? [key] : [])));
  }
}

interface Work extends WorkerOptions {
  readonly worklist: Worklist;
  readonly stops: Stops;
  readonly shunned: Shunned;
}

async function workOn(
  session: Session,
  { store, clock: ours, signal, leave = signal, handle, worklist, stops, shunned }: Work,
): Promise<WorkDone> {
  const clock = store.clock ?? ours; // what is over is said by the store
  const { id } = session;
  const stop = stops.of(session);
  try {
    await fireDue(session, clock.now(), (event) => session.append([event])); // K1
    const needs = needsOf(session.state);
    const isLacking = shunned.has(needs);
    const result = signal.aborted ? 'left' : isLacking ? 'unknown' : await handle(session, stop.signal);
    const due = dueOf(session.state);
    await session[Symbol.asyncDispose]();
    if (leave.aborted || result === 'left') {
      await worklist.leave(session); // K4
      return { session: id, result: 'left' };
    }
    if (result !== 'rests') {
      shunned.leave(id, needs, result);
      await worklist.leave(session);
      return { session: id, result: 'unknown' };
    }
    shunned.forget(id, needs);
    if (due === 'now' || (due !== undefined && due <= clock.now())) {
      await worklist.postpone(session, STANDS_STILL); // K2
      return { session: id, result: 'failed', error: STANDS_STILL };
    }
    await worklist.rest(session, due);
    return { session: id, result: 'rests' };
  } catch (thrown) {
    const error = recordOf(thrown);
    await disposed(session);
    if (leave.aborted) {
      await worklist.leave(session).catch(() => undefined); // its pause ends by itself
      return { session: id, result: 'left' };
    }
    if (!session.lost.aborted) await worklist.postpone(session, error);
    return { session: id, result: 'failed', error };
  } finally {
    stop.end();
  }
}

/**
 * Stops all running work with one listener. Keeps references to the controllers, because signals created by
 * `AbortSignal.any` may be garbage-collected while in use.
 */
class Stops {
  readonly #all = new Set<AbortController>();
  readonly #leave: AbortSignal;

  constructor(leave: AbortSignal) {
    this.#leave = leave;
    leave.addEventListener('abort', () => {
      for (const stop of this.#all) stop.abort(leave.reason);
    });
  }

  /** Returns a signal that aborts when all work is stopped or the session is lost. */
  of({ lost }: Session): { readonly signal: AbortSignal; readonly end: () => void } {
    const [stop, ended] = [new AbortController(), new AbortController()];
    const abort = ({ reason }: AbortSignal): void => {
      stop.abort(reason);
    };
    if (this.#leave.aborted) abort(this.#leave);
    if (lost.aborted) abort(lost);
    lost.addEventListener(
      'abort',
      () => {
        abort(lost);
      },
      { signal: ended.signal },
    );
    this.#all.add(stop);
    return {
      signal: stop.signal,
      end: () => {
        this.#all.delete(stop);
        ended.abort();
      },
    };
  }
}

/** Closes a session. Ignores errors, because `append` has already reported errors in saving. */
async function disposed(session: Session): Promise<void> {
  try {
    await session[Symbol.asyncDispose]();
  } catch {
    // its lease runs out
  }
}

const STANDS_STILL: ErrorRecord = { code: 'INTERNAL', message: 'the run stopped before it finished' };

function recordOf(thrown: unknown): ErrorRecord {
  return { code: isHitlError(thrown) ? thrown.code : 'INTERNAL', message: messageOf(thrown) };
}
