// Invariants:
// O1 What a collector does, or does not, changes nothing of a session and nothing of its status, and is told once.
// O2 Spans are made of what the journal keeps, which no secret is in, and hold nothing that was said unless it is asked for.
// O3 Headers, and what was said, leave this machine encrypted, or the person agreed by `--allow-http` or their configuration.
import { randomBytes } from 'node:crypto';

import type { Session } from '../../src/core/index.js';
import { CLEAR_HINT, clearProblem, escapeText, sendingTo, shown } from '../../src/core/index.js';
import type { OtlpSpan, OtlpTracer, TraceSpan } from '../../src/telemetry/index.js';
import { otlpTracer, traceRun } from '../../src/telemetry/index.js';
import { effectiveFlags } from '../config/effective.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';
import type { CollectorHere } from './environment.js';
import { collectorIn } from './environment.js';

/** Maximum time to wait for the collector on exit, in milliseconds. */
const PATIENCE_MS = 1_000;

/** This process's collector and connection. */
interface Telemetry {
  readonly collector: Extract<CollectorHere, { readonly type: 'otlp' }>;
  readonly tracer: OtlpTracer;
}

/**
 * One collector per process, keyed by the process environment. A worker runs many sessions, but reports its
 * collector only once.
 */
const OPENED = new WeakMap<Io['env'], Promise<Telemetry | 'none'>>();

/** Opens the configured collector. Reports any problems. */
export function openTelemetry(io: Io, flags: RunFlags): Promise<Telemetry | 'none'> {
  const opened = OPENED.get(io.env) ?? telemetryOf(io, flags);
  OPENED.set(io.env, opened);
  return opened;
}

async function telemetryOf(io: Io, flags: RunFlags): Promise<Telemetry | 'none'> {
  const notice = (text: string): void => {
    tell(io.stderr, shown`telemetry: ${escapeText(text)}`);
  };
  const collector = collectorIn(io.env);
  if (collector.type === 'refused') notice(`nothing is sent: ${collector.why}`);
  if (collector.type !== 'otlp') return 'none';
  const problem = await clearProblemOf(io, flags, collector);
  if (problem !== undefined) {
    notice(`nothing is sent: ${problem}; ${CLEAR_HINT}`);
    return 'none';
  }
  const { clock } = io;
  return {
    collector,
    tracer: otlpTracer({ ...collector, clock, random: randomBytes, notice, allowHttp: true }),
  };
}

/**
 * Returns the reason that headers or content must not be sent to a collector (O3), or `undefined` if they
 * may.
 */
async function clearProblemOf(
  io: Io,
  flags: RunFlags,
  { url, headers, captureContent }: Telemetry['collector'],
): Promise<string | undefined> {
  const secret = [
    ...(Object.keys(headers).length > 0 ? ['the headers for the collector'] : []),
    ...(captureContent ? ['what was said'] : []),
  ];
  if (secret.length === 0) return undefined;
  const sending = sendingTo(new URL(url), secret.join(' and '));
  if (clearProblem(sending, flags.allowHttp) === undefined) return undefined;
  return clearProblem(sending, flags.allowHttp ?? (await effectiveFlags(io, flags)).config.allowHttp);
}

/** Runs the work of a session and sends it as one trace. */
export async function traced<T>(
  io: Io,
  flags: RunFlags,
  session: Session,
  work: () => Promise<T>,
): Promise<T> {
  const telemetry = await openTelemetry(io, flags);
  if (telemetry === 'none' || io.random() >= telemetry.collector.share) return await work();
  const { tracer, collector } = telemetry;
  const root = tracer.startSpan('hitl.session', { attributes: factsOf(session) }, collector.parent);
  const open = new Map<unknown, OtlpSpan>();
  const see = traceRun({
    captureContent: collector.captureContent,
    within: (span) => span,
    tracer: {
      startSpan: (name, options, around) => {
        const span = tracer.startSpan(name, options, open.get(around) ?? root);
        const known: TraceSpan = {
          ...span,
          end: () => {
            open.delete(known);
            span.end();
          },
        };
        open.set(known, span);
        return known;
      },
    },
  });
  const end = session.onAppended((events) => {
    for (const { event } of events) see(event);
  });
  try {
    return await work();
  } finally {
    end();
    for (const span of open.values()) span.end(); // what waits, or was cut
    root.setAttributes(factsOf(session));
    if (session.state.ended?.type === 'failed') root.setStatus({ code: 2 });
    root.end();
    await tracer.flush(PATIENCE_MS);
  }
}

function factsOf({ id, state: { agent, graph } }: Session): Record<string, string> {
  return {
    'session.id': id,
    ...(agent !== undefined && agent.model !== '' && { 'gen_ai.request.model': agent.model }),
    ...(graph !== undefined && { 'hitl.graph': graph.name }),
  };
}
