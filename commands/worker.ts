import { runWorker } from '../sessions/index.js';
import type { NotHere, WorkDone } from '../sessions/index.js';
import type { HitlErrorCode, Session, SessionStore } from '../src/core/index.js';
import {
  count,
  durationText,
  escapeText,
  isHitlError,
  isoTime,
  messageOf,
  shown,
} from '../src/core/index.js';
import type { Listening } from '../src/server/index.js';
import type { Meter, TextMeter } from '../src/telemetry/index.js';
import { countedStore, textMeter } from '../src/telemetry/index.js';
import { Signals } from './exit/signals.js';
import { statusOf } from './exit/exit-codes.js';
import type { ListenPlace } from './flags/flag-values.js';
import type { FlowFlags, RunFlags } from './flags/options.js';
import { outputFormatOf } from './flags/mode.js';
import type { Io, Log, LogForm } from './host/index.js';
import { logLines, printJson, tell, version } from './host/index.js';
import { hasCollector } from './running/run-session.js';
import { servedBy, servedFolders } from './running/worker-bounds.js';
import { checkKey, copyNotice, lineNotice, openStore, proofNotice } from './store/store.js';
import { shownStore } from './store/address.js';
import { storeOptions } from './store/store-options.js';
import { resumeAlone } from './tick.js';
import { openTelemetry } from './telemetry/traced.js';
import { beginSending, channelsInForce } from './channels/sending.js';
import { listenForProbes } from '../src/server/index.js';

interface WorkerFlags extends FlowFlags {
  readonly slots?: number;
  /** Folders served in addition to the current one. */
  readonly folder?: readonly string[];
  /** Time that runs have to finish after SIGTERM, in milliseconds. */
  readonly drain?: number;
  /** Address at which metrics are served. */
  readonly listen?: ListenPlace;
  readonly log?: LogForm;
}

const DRAIN_MS = 30_000;
/** Exit status after SIGTERM. */
const TERMINATED = 143;
/** Exit status if this installation lacks a module, a workflow or a setting. */
const NOT_HERE = 2;
/**
 * Errors caused by a session's agent, which affect all sessions with that agent. Any other error affects only
 * one session.
 */
const OF_AGENT: ReadonlySet<HitlErrorCode> = new Set([
  ...(['USAGE', 'BAD_CONFIG', 'BAD_TOOL_MODULE', 'BAD_SCRIPT', 'BAD_GRAPH'] as const),
  ...(['DUPLICATE_TOOL', 'TOOL_NOT_FOUND'] as const),
]);
/** Store errors that end `runWorker`. */
const ENDING: ReadonlySet<HitlErrorCode> = new Set(['SESSION_NEWER', 'BAD_CONFIG']);
const BEAT_MS = 1_000;
/** A problem that recurs within this time, in milliseconds, is not reported again. */
const SAME_TROUBLE_MS = 60_000;
/** Number of process signal listeners to allow for each run. This is more than a run needs. */
const LISTENERS_A_RUN = 4;

/** `hitl worker`: resumes sessions with pending work until a signal stops it. */
export async function worker(given: Io, flags: WorkerFlags): Promise<number> {
  const { slots = 1, drain: drainMs = DRAIN_MS } = flags;
  const { io, log } = logLines(given, flags.log);
  const meter = textMeter();
  const store = countedStore(openStore(io, flags), meter);
  const measured = measuring(meter);
  if (hasCollector(io)) await openTelemetry(io, flags);
  using signals = new Signals({ clock: io.clock, interactive: false, drainMs });
  process.setMaxListeners(Math.max(process.getMaxListeners(), slots * LISTENERS_A_RUN + LISTENERS_A_RUN));
  await checkKey(store);
  await tellFailing(io, flags, store).catch((thrown: unknown) => {
    if (!isHitlError(thrown) || thrown.code !== 'STORE_UNAVAILABLE') throw thrown;
    log(shown`worker: ${escapeText(thrown.message)}; retrying`, { level: 'warn' });
  });
  const proof = proofNotice(io, flags, store);
  if (proof !== undefined) tell(io.stderr, shown`${escapeText(proof)}\nhint: hitl store key`);
  const copied = await copyNotice(store);
  if (copied !== undefined) tell(io.stderr, copied);
  const inForce = await channelsInForce(io, flags);
  const listening = flags.listen && (await listenAt(io, flags.listen, { store, meter }));
  const over = new AbortController();
  const sending = beginSending(io, inForce, { store, signal: over.signal, meter });
  const folders = servedFolders(io, flags.folder);
  if (flags.quiet !== true) {
    const place = shownStore(io, flags).value ?? storeOptions(io, flags).root;
    const where = shown`${escapeText(place)}, serves ${escapeText(folders.join(', '))}`;
    tell(io.stderr, shown`worker: up to ${count(slots, 'session')} at once on ${where}; Ctrl-C stops`);
    const line = lineNotice(io, flags);
    if (line !== undefined) tell(io.stderr, line);
    const names = inForce.channels.map(({ name }) => name).join(', ');
    if (names !== '') tell(io.stderr, shown`Notifications go to: ${escapeText(names)}`);
  }
  const left = new Set<string>();
  let troubled = -Infinity;
  let running = 0;
  signals.drain.addEventListener('abort', () => {
    if (running > 0 && !signals.leave.aborted && flags.quiet !== true)
      tell(
        io.stderr,
        shown`worker: stopping; waiting up to ${escapeText(durationText(drainMs))} for running sessions (signal again to stop now)`,
      );
  });
  signals.leave.addEventListener('abort', () => {
    over.abort(signals.leave.reason);
  });
  // Keeps the process until what runs has ended, or until the signals end it: what a run waits for may keep nothing.
  const beats = setInterval(() => undefined, BEAT_MS);
  const working = runWorker({
    store,
    clock: io.clock,
    signal: signals.drain,
    leave: signals.leave,
    slots,
    program: `hitl ${version()}`,
    handle: async (session) => {
      running += 1;
      try {
        return await handle(io, { ...flags, drainMs }, { store, folders, left, log }, session);
      } finally {
        running -= 1;
      }
    },
    told: (done, ms) => {
      measured(done, ms);
      say(io, flags, done, ms);
    },
    failed: (thrown) => {
      const now = io.clock.now();
      if (isHitlError(thrown) && ENDING.has(thrown.code)) {
        if (!signals.drain.aborted) signals.terminate(); // and the worker ends with this error
        return;
      }
      const isNew = now - troubled > SAME_TROUBLE_MS;
      troubled = now;
      if (isNew) log(shown`worker: ${escapeText(messageOf(thrown))}; retrying`, { level: 'warn' });
    },
  });
  try {
    await working;
    over.abort();
    await sending;
  } finally {
    over.abort();
    clearInterval(beats);
    await listening?.close();
  }
  return signals.status ?? (signals.drain.aborted ? TERMINATED : 0);
}

/**
 * The store and folders that a worker serves, along with the skipped sessions that the worker has already
 * reported.
 */
interface Serving {
  readonly store: SessionStore;
  readonly folders: readonly string[];
  readonly left: Set<string>;
  readonly log: Log;
}

/**
 * Resumes a session. If tools are missing or this worker does not serve the session, starts nothing and
 * leaves the session to another installation.
 */
async function handle(
  io: Io,
  flags: RunFlags,
  { store, folders, left, log }: Serving,
  session: Session,
): Promise<'rests' | NotHere> {
  const { id, version, state } = session;
  const leave = (why: string, isAlone: boolean): NotHere => {
    const line = `${id} skipped: ${why}`;
    if (flags.quiet !== true && !left.has(line))
      log(shown`worker: ${escapeText(line)}`, { level: 'warn', session: id });
    left.add(line);
    return { result: 'unknown', why, isAlone };
  };
  for (const notice of session.notices)
    log(shown`worker: ${escapeText(notice)}`, { level: 'warn', session: id });
  try {
    const served = await servedBy(io, flags, folders, state);
    if ('why' in served) return leave(served.why, served.isAlone === true);
    await resumeAlone({ ...io, cwd: served.cwd }, flags, { store, id, opened: session });
    return 'rests';
  } catch (thrown) {
    const isElsewhere =
      isHitlError(thrown) && statusOf(thrown.code) === NOT_HERE && session.version === version;
    if (!isElsewhere) throw thrown;
    return leave(thrown.message, !OF_AGENT.has(thrown.code));
  }
}

/** Returns a function that counts completed work items and records their duration. */
function measuring(meter: Meter): (done: WorkDone, ms: number) => void {
  const duration = meter.createHistogram('hitl.work.duration', {
    description: 'Duration of work items since they were claimed, by result.',
    unit: 's',
  });
  return ({ result }, ms) => {
    duration.record(ms / 1_000, { result });
  };
}

/** Serves the metrics of this worker. @throws HitlError BAD_CONFIG */
async function listenAt(
  io: Io,
  place: ListenPlace,
  { store, meter }: { readonly store: SessionStore; readonly meter: TextMeter },
): Promise<Listening> {
  const listening = await listenForProbes({ store, meter, clock: io.clock, version: version() }, place);
  tell(io.stderr, shown`worker: metrics at ${escapeText(listening.origin)}/metrics`);
  return listening;
}

function say(io: Io, flags: WorkerFlags, done: WorkDone, ms: number): void {
  if (outputFormatOf(flags) !== 'text' || flags.log === 'json') {
    const level = done.result === 'failed' ? 'error' : 'info';
    printJson(io, { time: isoTime(io.clock.now()), level, ...done, ms }, 'line');
    return;
  }
  const why = done.error === undefined ? shown`` : shown`: ${escapeText(done.error.message)}`;
  io.stdout.write(shown`${done.session}  ${escapeText(done.result)}${why}\n`);
}

/** Maximum number of repeatedly failing sessions to list individually. */
const TOLD = 3;

/** Reports repeatedly failing sessions to the operator. */
async function tellFailing(
  io: Io,
  flags: WorkerFlags,
  { capabilities: { worklist } }: SessionStore,
): Promise<void> {
  if (worklist === undefined || flags.quiet === true) return;
  let failing = 0;
  for await (const { session, attempts, why = 'its worker crashed each time' } of worklist.failing()) {
    failing += 1;
    if (failing > TOLD) continue;
    tell(io.stderr, shown`worker: ${session} failed ${attempts} times: ${escapeText(why)}`);
    tell(io.stderr, shown`hint: hitl resume ${session}`);
  }
  if (failing > TOLD) {
    const more = count(failing - TOLD, 'more session keeps', 'more sessions keep');
    tell(io.stderr, shown`worker: ${more} failing; each is retried at increasing intervals`);
  }
}
