import type { Call, Effect, Interrupt, JsonValue, RunState, ToolDescriptor } from '../../core/index.js';
import {
  amountText,
  assertNever,
  durationText,
  escapeText,
  isJsonObject,
  limitOf,
} from '../../core/index.js';
import type { QuestionLine } from '../values/index.js';
import { ownLine } from '../values/index.js';

/** What the lines about effect and age are made from. */
export interface EffectMaterial {
  readonly interrupt: Interrupt;
  readonly state: RunState;
  readonly tool: ToolDescriptor | undefined;
  readonly now: number | undefined;
}

/** What of it is news: what is known of a run that may have happened, and what a limit came to. */
export function newsLines({ interrupt, now }: EffectMaterial): readonly QuestionLine[] {
  const { kind, payload } = interrupt;
  const doubt = kind === 'in-doubt' ? doubtWords(payload, now) : [];
  return [...doubt, ...aboutRun(interrupt)].map((text) => ownLine('effect', text));
}

/** Since when it waits, and how long it may. */
export function ageLines({ interrupt, now }: EffectMaterial): readonly QuestionLine[] {
  return aboutTime(interrupt, now).map((text) => ownLine('effect', text));
}

/** The product's words about what a run of the call does, whether it may already have run, and since when it waits. */
export function effectLines(material: EffectMaterial): readonly QuestionLine[] {
  const { interrupt, now } = material;
  const about = [...aboutCall(material), ...aboutRun(interrupt), ...aboutTime(interrupt, now)];
  return about.map((text) => ownLine('effect', text));
}

function aboutTime({ raisedAt, expiresAt }: Interrupt, now: number | undefined): readonly string[] {
  const asked = now === undefined ? undefined : ageOf(raisedAt, now);
  return [
    ...(asked === undefined ? [] : [`asked ${shownTime(raisedAt)}, ${asked} ago`]),
    ...(expiresAt === undefined ? [] : [`expires ${shownTime(expiresAt)}`]),
  ];
}

function aboutCall({ interrupt, state, tool, now }: EffectMaterial): readonly string[] {
  const { source, kind } = interrupt;
  if (source.type !== 'tool' || kind === 'question') return [];
  const effect = [`effect: ${effectWords(tool?.effect)}`];
  if (kind === 'in-doubt') return [...doubtWords(interrupt.payload, now), ...effect];
  const call = state.open?.calls.find((one) => one.request.ref === source.ref);
  return call === undefined ? effect : [...effect, runWords(call, interrupt)];
}

function effectWords(effect: Effect | undefined): string {
  switch (effect) {
    case 'none':
      return 'none (it changes nothing)';
    case 'idempotent':
      return 'idempotent (running it twice is the same as once)';
    case 'once':
    case undefined:
      return 'once (each run does it again)';
    default:
      return assertNever(effect);
  }
}

function runWords(call: Call, { source, kind }: Interrupt): string {
  if (call.attempts === 0) return 'it has not run yet';
  const times = call.attempts === 1 ? 'once' : `${call.attempts} times`;
  if (kind === 'error') return `it was started ${times} and failed`;
  const asked =
    source.type === 'tool' && source.raisedBy === 'tool' ? '; it asks before it has finished' : '';
  return `it was started ${times}${asked}`;
}

function doubtWords(payload: JsonValue, now: number | undefined): readonly string[] {
  const { startedAt, attempt, pid } = isJsonObject(payload) ? payload : {};
  const when = typeof startedAt === 'string' ? `started ${shownTime(startedAt)}` : 'it was started';
  const age = typeof startedAt === 'string' && now !== undefined ? ageOf(startedAt, now) : undefined;
  const ago = age === undefined ? '' : `, ${age} ago`;
  const which = typeof attempt === 'number' && attempt > 1 ? `, attempt ${attempt}` : '';
  const who = typeof pid === 'number' ? `, by process ${pid}` : '';
  return [`${when}${ago}${which}${who}; no result was recorded, so nobody knows whether it happened`];
}

function aboutRun(interrupt: Interrupt): readonly string[] {
  const { kind, payload } = interrupt;
  if (kind !== 'limit' || !isJsonObject(payload)) return [];
  const { max, spent } = payload;
  const limit = limitOf(interrupt);
  if (limit === 'cost' && spent === null)
    return [
      'what was spent is not known: there is no price for this model; who extends it goes on without this limit',
    ];
  if (typeof max !== 'number' || typeof spent !== 'number') return [];
  return [`spent ${amountText(spent, limit)} of ${amountText(max, limit)}`];
}

/** A time of the journal for people: `2026-01-31 14:02 UTC`. Anything else is quoted. */
function shownTime(at: string): string {
  const found = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::[\d.]+)?Z$/.exec(at);
  return found === null ? escapeText(at) : `${found[1] ?? ''} ${found[2] ?? ''} UTC`;
}

/** How long ago, for people; `undefined` below a minute, for a time in the future, and where it is no time. */
function ageOf(at: string, now: number): string | undefined {
  const age = now - Date.parse(at);
  return age >= 60_000 ? durationText(age) : undefined;
}
