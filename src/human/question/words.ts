// The words of ours in a question: its first line, the names of the parts below it, what a run of it does, and what is
// asked at the end. The call itself is told by `src/core/title`, what each key does and what was done by
// `src/core/ways`, warnings by `src/human/warnings`, and keys that do not count by `src/human/prompt/key-prompt.ts`.
// Words from outside are escaped and stand among these.
import type { Call, Effect, Interrupt, JsonValue, RunState, ToolDescriptor } from '../../core/index.js';
import {
  amountText,
  approversWords,
  assertNever,
  confirmationWords,
  durationText,
  escapeText,
  expiredResolution,
  isJsonObject,
  limitOf,
  membersOf,
  pathText,
  plainLine,
  standingVotes,
  subjectOfSource,
  titleOf,
} from '../../core/index.js';
import type { QuestionLine } from '../values/index.js';
import { ownLine } from '../values/index.js';
import { byWords, failureWords } from './title-words.js';

/** The names of the parts of a question, and what stands where there is nothing to show. */
export const PARTS = {
  input: 'input',
  noInput: 'with no input',
  resolved: 'resolved',
  change: 'change',
  adds: 'and adds',
  addsThis: 'the tool adds this',
  output: 'output',
  state: 'state',
  because: 'It asks because: ',
  says: 'It says: ',
  wants: 'To approve it, say: ',
  why: 'the model thought',
} as const;

/** The words of what a person is asked to do, at the end. */
export const YOUR_DECISION = 'Your decision:';

/** Names who says what stands below. */
export function saysWords({ type }: Interrupt['source']): string {
  return type === 'tool' ? 'the tool says' : type === 'node' ? 'the node says' : 'it says';
}

/** A warning in the product's words. */
export function warningWords(kind: string, place: string, message: string): string {
  return `warning: ${kind}: ${place === '' ? '' : `${place}: `}${message}`;
}

/** The origin of the tools that come with the product; no loaded tool can give it. */
export const BUILT_IN = 'built in';
/** The width that a name from outside may have in a heading, in columns. */
const NAME_COLUMNS = 80;

/** One line that says what is wanted, of which tool, and where the tool comes from. */
export function headingOf(interrupt: Interrupt, tool: ToolDescriptor | undefined): string {
  const where = interrupt.path === '' ? '' : ` · in ${plainLine(pathText(interrupt.path), NAME_COLUMNS)}`;
  const what = `${requestOf(interrupt)}${where}`;
  if (interrupt.source.type !== 'tool') return what;
  return `${what} · ${originWords(tool)}`;
}

/** Says where a tool comes from, in safe text. */
function originWords(tool: ToolDescriptor | undefined): string {
  return tool === undefined ? 'not offered in this session' : plainLine(tool.origin, NAME_COLUMNS);
}

function requestOf(interrupt: Interrupt): string {
  const { kind, source, payload } = interrupt;
  const subject = subjectOfSource(source);
  switch (kind) {
    case 'question':
      return `${subject} asks`;
    case 'confirmation':
      return `${subject} ${confirmationWords(source)}`;
    case 'gate':
      return source.type === 'node'
        ? `gate ${source.phase} ${subject}${source.visit > 1 ? `, visit ${source.visit}` : ''}`
        : `${subject} waits at a gate`;
    case 'pause':
      return `${subject} is paused${byWords(payload)}`;
    case 'error':
      return `${subject} failed`;
    case 'in-doubt':
      return `${subject} may have run: its outcome is unknown`;
    case 'limit':
      return limitWords(isJsonObject(payload) ? payload['limit'] : undefined);
    default:
      return assertNever(kind);
  }
}

/** A limit that is reached; the context is asked about before it is full. */
function limitWords(limit: unknown): string {
  return limit === 'context' ? 'the context of the model is nearly full' : `${limitName(limit)} is reached`;
}

function limitName(limit: unknown): string {
  switch (limit) {
    case 'turns':
      return 'the limit of tool rounds';
    case 'tokens':
      return 'the limit of tokens';
    case 'cost':
      return 'the limit of cost';
    case 'time':
      return 'the limit of time';
    case 'iterations':
      return 'the limit of nodes entered';
    default:
      return 'a limit';
  }
}

/**
 * Says where the tool of an interrupt comes from, in safe text, and its name where the title does not say it; empty for
 * tools that come with the product.
 */
export function originOf({ source }: Interrupt, tool: ToolDescriptor | undefined): string {
  if (source.type !== 'tool') return '';
  if (tool?.origin === BUILT_IN) return '';
  const origin = originWords(tool);
  return source.title === undefined ? origin : `${subjectOfSource(source)} · ${origin}`;
}

/** Names what asks, in a person's words: the tool by which a model asks is the model. */
export function askerOf(interrupt: Interrupt, tool: ToolDescriptor | undefined): string | undefined {
  const isModel = interrupt.kind === 'question' && tool?.origin === BUILT_IN && interrupt.path === '';
  return isModel ? 'The model asks' : undefined;
}

/**
 * The first line of a question: the thing itself, and what is wrong with it where something is. `lead` is without the
 * values that stand below it.
 */
export function titleLineOf(interrupt: Interrupt, form: 'text' | 'lead' = 'text'): string {
  const text = titleOf(interrupt)[form];
  const where = interrupt.path === '' ? '' : `  in ${plainLine(pathText(interrupt.path), NAME_COLUMNS)}`;
  switch (interrupt.kind) {
    case 'confirmation':
      return `${text}${where}`;
    case 'in-doubt':
      return `Did this happen?  ${text}${where}`;
    case 'error':
      return `Failed${failureWords(interrupt)}: ${text}${where}`;
    case 'question':
    case 'gate':
    case 'pause':
    case 'limit':
      return `${requestOf(interrupt)}${where}`;
    default:
      return assertNever(interrupt.kind);
  }
}

/** The material that the lines about effect and age are made from. */
export interface EffectMaterial {
  readonly interrupt: Interrupt;
  readonly state: RunState;
  readonly tool: ToolDescriptor | undefined;
  readonly now: number | undefined;
}

/** Picks the news: what is known of a run that may have happened, and what a limit came to. */
export function newsLines({ interrupt, state, now }: EffectMaterial): readonly QuestionLine[] {
  const { kind, payload } = interrupt;
  const doubt = kind === 'in-doubt' ? doubtWords(payload, now) : [];
  return [...doubt, ...aboutRun(interrupt), ...aboutPeople(interrupt, state)].map((text) =>
    ownLine('effect', text),
  );
}

/** Since when it waits, and how long it may. */
export function ageLines({ interrupt, now }: EffectMaterial): readonly QuestionLine[] {
  return aboutTime(interrupt, now).map((text) => ownLine('effect', text));
}

/** The product's words about what a run of the call does, whether it may already have run, and since when it waits. */
export function effectLines(material: EffectMaterial): readonly QuestionLine[] {
  const { interrupt, state, now } = material;
  const people = aboutPeople(interrupt, state);
  const about = [...aboutCall(material), ...aboutRun(interrupt), ...people, ...aboutTime(interrupt, now)];
  return about.map((text) => ownLine('effect', text));
}

/** Tells whose word it takes, and what was said so far. */
function aboutPeople(interrupt: Interrupt, { votes, requesters }: RunState): readonly string[] {
  const words = approversWords(interrupt, standingVotes(votes, interrupt.id), requesters);
  return words === undefined ? [] : [words];
}

function aboutTime(interrupt: Interrupt, now: number | undefined): readonly string[] {
  const { raisedAt, expiresAt, escalated } = interrupt;
  const asked = now === undefined ? undefined : ageOf(raisedAt, now);
  return [
    ...(escalated === undefined ? [] : [escalatedWords(escalated)]),
    ...(asked === undefined ? [] : [`asked ${shownTime(raisedAt, now)}, ${asked} ago`]),
    ...(expiresAt === undefined ? [] : [`until ${shownTime(expiresAt, now)}: then ${afterWords(interrupt)}`]),
  ];
}

/** The columns of the words for somebody who is asked in the place of another one. */
const PROMPT_COLUMNS = 200;

function escalatedWords({ id, to, prompt }: NonNullable<Interrupt['escalated']>): string {
  const words = prompt === undefined ? '' : `: “${plainLine(prompt, PROMPT_COLUMNS)}”`;
  return `asked of ${plainLine(to, NAME_COLUMNS)}, because nobody answered ${escapeText(id)} in time${words}`;
}

/** Says what comes of a question that nobody answers in time. */
function afterWords(interrupt: Interrupt): string {
  const { onTimeout, source } = interrupt;
  if (onTimeout?.action === 'escalate') return `${plainLine(onTimeout.to, NAME_COLUMNS)} is asked`;
  const { action } = expiredResolution(interrupt);
  if (action === 'respond') return 'its own answer is taken';
  const what = source.type === 'tool' ? 'it does not run' : 'the node does not run';
  return action === 'reject' ? what : source.type === 'tool' ? 'it is cancelled' : 'the run ends';
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
  const { startedAt, attempt, pid } = membersOf(payload);
  const when = typeof startedAt === 'string' ? ` ${shownTime(startedAt, now)}` : '';
  const age = typeof startedAt === 'string' && now !== undefined ? ageOf(startedAt, now) : undefined;
  const ago = age === undefined ? '' : `, ${age} ago`;
  const which = typeof attempt === 'number' && attempt > 1 ? `, attempt ${attempt}` : '';
  const who = typeof pid === 'number' ? `, by process ${pid}` : '';
  return [
    `It was started${when}${ago}${which}${who}.`,
    'No result was recorded: nobody knows whether it happened.',
  ];
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
  if (limit === 'context' && spent === null) return ['the model gave no summary of what was said'];
  if (typeof max !== 'number' || typeof spent !== 'number') return [];
  return [`spent ${amountText(spent, limit)} of ${amountText(max, limit)}`];
}

/** A time of the journal for people: `2026-01-31 14:02 UTC`, `today at 14:02 UTC`. Anything else is quoted. */
function shownTime(at: string, now: number | undefined): string {
  const [, day = '', time = ''] = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::[\d.]+)?Z$/.exec(at) ?? [];
  if (day === '') return escapeText(at);
  const isToday = now !== undefined && new Date(now).toISOString().startsWith(day);
  return isToday ? `today at ${time} UTC` : `${day} ${time} UTC`;
}

/**
 * Says how long ago a time was, for people; `undefined` below a minute, for a time in the future, and where it is no
 * time.
 */
function ageOf(at: string, now: number): string | undefined {
  const age = now - Date.parse(at);
  return age >= 60_000 ? durationText(age) : undefined;
}
