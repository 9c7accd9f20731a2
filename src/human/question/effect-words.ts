// What a run of a call does, whether it may have happened, whose word is taken, and since when it waits: the product's
// words below the values of a question.
import type {
  ApprovalPolicy,
  Call,
  Effect,
  Interrupt,
  JsonValue,
  RunState,
  Subject,
  ToolDescriptor,
} from '../../core/index.js';
import {
  amountText,
  approversWords,
  assertNever,
  count,
  durationText,
  escapeText,
  expiredResolution,
  factsShown,
  isExpired,
  isJsonObject,
  jsonEquals,
  limitOf,
  membersOf,
  momentText,
  operationAsked,
  RUNS_IT,
  peopleWords,
  plainLine,
  reviewWords,
  standingVotes,
  succeeding,
} from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { ownLine } from '../values/text-line.js';
import { NAME_COLUMNS } from './words.js';

/** Input for the lines that describe a question's effect and age. */
export interface EffectMaterial {
  readonly interrupt: Interrupt;
  readonly state: RunState;
  readonly tool: ToolDescriptor | undefined;
  readonly now: number | undefined;
}

/**
 * Returns the facts about this particular question that must be shown before the answer, such as evidence
 * that the call may have run, the usage at a limit, or the votes so far.
 */
export function newsLines({ interrupt, state, now }: EffectMaterial): readonly QuestionLine[] {
  const { kind, payload, source } = interrupt;
  const doubt = kind === 'in-doubt' ? doubtWords(payload, now) : [];
  const call = state.open?.calls.find(({ request }) => source.type === 'tool' && request.ref === source.ref);
  const again = call?.attempts === 0 ? takenBackWords(call, state) : [];
  const approved = approvedBefore(interrupt, state);
  return [
    ...doubt,
    ...again,
    ...(approved === undefined ? [] : [approved]),
    ...aboutReview(interrupt, state),
    ...aboutRun(interrupt),
    ...aboutPeople(interrupt, state),
    ...aboutLasting(interrupt),
  ].map((text) => ownLine('effect', text));
}

/**
 * Describes approved calls from the same reply. They do not start until the last question is answered.
 * Returns `undefined` if there are none.
 */
export function approvedBefore({ source }: Interrupt, { open }: RunState): string | undefined {
  const calls = open?.calls ?? [];
  const isAmong = calls.some(({ request }) => source.type === 'tool' && request.ref === source.ref);
  const waiting = calls.filter(({ approval, state }) => approval !== undefined && state.status === 'ready');
  if (!isAmong || waiting.length === 0) return undefined;
  return `${count(waiting.length, 'approved call')} waiting: nothing runs until all questions are answered`;
}

/** Returns the message from a reviewer, or the reason that there is none. Either may help the user decide. */
function aboutReview({ id, digest }: Interrupt, { reviews = [] }: RunState): readonly string[] {
  return reviews.flatMap((review) =>
    review.id === id && review.digest === digest ? [`reviewer: ${reviewWords(review)}`] : [],
  );
}

/** Returns lines that describe how long the question has been waiting and when it expires. */
export function ageLines({ interrupt, now }: EffectMaterial): readonly QuestionLine[] {
  return aboutTime(interrupt, now).map((text) => ownLine('effect', text));
}

/**
 * Returns lines that describe the effect of running the call, whether it may have run, and how long the
 * question has been waiting.
 */
export function effectLines(material: EffectMaterial): readonly QuestionLine[] {
  const { interrupt, state, now } = material;
  const people = aboutPeople(interrupt, state);
  const about = [
    ...aboutCall(material),
    ...aboutDoubt(material),
    ...aboutRun(interrupt),
    ...people,
    ...aboutLasting(interrupt),
    ...aboutTime(interrupt, now),
  ];
  return about.map((text) => ownLine('effect', text));
}

/** Lists the required approvers and the votes so far. */
function aboutPeople(interrupt: Interrupt, { votes, requesters }: RunState): readonly string[] {
  const words = approversWords(interrupt, standingVotes(votes, interrupt.id), requesters);
  const before = interrupt.escalated?.approvers;
  return [
    ...(words === undefined ? [] : [words]),
    ...(before === undefined ? [] : [`approvers changed; before: ${whomWords(before, requesters)}`]),
  ];
}

function whomWords(policy: ApprovalPolicy, requesters?: readonly Subject[]): string {
  return Object.keys(policy).length === 0 ? 'anyone' : peopleWords(policy, requesters);
}

/** Describes how long an approval is valid, if the question limits this. */
function aboutLasting({ approvalLastsMs, kind }: Interrupt): readonly string[] {
  if (approvalLastsMs === undefined) return [];
  return [`${kind === 'question' ? 'answer' : 'approval'} lasts ${durationText(approvalLastsMs)}`];
}

function aboutTime(interrupt: Interrupt, now: number | undefined): readonly string[] {
  const { raisedAt, expiresAt, escalated } = interrupt;
  const asked = now === undefined ? undefined : ageOf(raisedAt, now);
  return [
    ...(escalated === undefined ? [] : [escalatedWords(escalated)]),
    ...(asked === undefined ? [] : [`asked ${shownTime(raisedAt, now)}, ${asked} ago`]),
    ...(expiresAt === undefined ? [] : [expiryWords(interrupt, expiresAt, now)]),
  ];
}

function expiryWords(interrupt: Interrupt, expiresAt: string, now: number | undefined): string {
  const [time, after] = [shownTime(expiresAt, now), afterWords(interrupt)];
  const isOver = now !== undefined && isExpired(interrupt, now);
  return isOver ? `expired ${time}: ${after}` : `expires ${time}, then: ${after}`;
}

/** Maximum width of an operation key, in columns. */
const KEY_COLUMNS = 200;

/** Maximum width of the prompt for a person to whom a question was escalated, in columns. */
const PROMPT_COLUMNS = 200;

function escalatedWords({ id, to, prompt }: NonNullable<Interrupt['escalated']>): string {
  const words = prompt === undefined ? '' : `: “${plainLine(prompt, PROMPT_COLUMNS)}”`;
  return `escalated to ${plainLine(to, NAME_COLUMNS)}: ${escapeText(id)} was not answered in time${words}`;
}

/** Describes the consequence if the question is not answered in time. */
function afterWords(interrupt: Interrupt): string {
  const { onTimeout, source, approvers } = interrupt;
  if (onTimeout?.action === 'escalate') {
    const people = onTimeout.approvers && succeeding(approvers, onTimeout.approvers);
    const whom = people === undefined ? '' : ` (${peopleWords(people)})`;
    return `escalates to ${plainLine(onTimeout.to, NAME_COLUMNS)}${whom}`;
  }
  const { action } = expiredResolution(interrupt);
  if (action === 'respond') return 'default answer used';
  if (action === 'reject') return 'rejected';
  return source.type === 'tool' ? 'cancelled' : 'run cancelled';
}

/**
 * Lists the known details of a node or operation that may have run, so that the user can check whether it
 * did.
 */
function aboutDoubt({ interrupt, now }: EffectMaterial): readonly string[] {
  if (interrupt.kind !== 'in-doubt' || interrupt.source.type === 'tool') return [];
  const operation = operationAsked(interrupt);
  const key = operation === undefined ? [] : [`operation: ${plainLine(operation.key, KEY_COLUMNS)}`];
  return [...key, ...doubtWords(interrupt.payload, now)];
}

function aboutCall({ interrupt, state, tool, now }: EffectMaterial): readonly string[] {
  const { source, kind } = interrupt;
  if (source.type !== 'tool' || kind === 'question') return [];
  if (RUNS_IT in factsShown(interrupt.payload)) return []; // another program does
  const effect = [`effect: ${effectWords(tool?.effect)}`];
  if (kind === 'in-doubt') return [...doubtWords(interrupt.payload, now), ...effect];
  const call = state.open?.calls.find((one) => one.request.ref === source.ref);
  return call === undefined ? effect : [...effect, ...runWords(call, state, interrupt)];
}

function effectWords(effect: Effect | undefined): string {
  switch (effect) {
    case 'none':
      return 'none (read-only)';
    case 'idempotent':
      return 'idempotent (safe to repeat)';
    case 'once':
    case undefined:
      return 'once (running it again repeats it)';
    default:
      return assertNever(effect);
  }
}

function runWords(call: Call, state: RunState, { source, kind }: Interrupt): readonly string[] {
  if (call.attempts === 0) return ['not run yet', ...takenBackWords(call, state)];
  if (kind === 'error') return [`failed after ${count(call.attempts, 'attempt')}`];
  const started = `started${call.attempts === 1 ? '' : ` ${call.attempts} times`}`;
  const asks = source.type === 'tool' && source.raisedBy === 'tool';
  return [`${started}${asks ? '; the tool is asking before it finishes' : ''}`];
}

/**
 * Warns that this tool was started before the user went back and that its effects were not undone, so the
 * call may repeat them.
 */
function takenBackWords({ request, input }: Call, { takenBack = [] }: RunState): readonly string[] {
  const before = takenBack.filter(({ name }) => name === request.name);
  if (before.length === 0) return [];
  const same = before.filter((one) => jsonEquals(one.input, input)).length;
  const [starts, words] = same > 0 ? [same, 'this same call'] : [before.length, 'another call of this tool'];
  const times = starts === 1 ? '' : `, ${starts} times`;
  return [`${words} was started before you went back${times}; its effects were not undone`];
}

function doubtWords(payload: JsonValue, now: number | undefined): readonly string[] {
  const { startedAt, attempt, pid } = membersOf(payload);
  const when = typeof startedAt === 'string' ? ` ${shownTime(startedAt, now)}` : '';
  const age = typeof startedAt === 'string' && now !== undefined ? ageOf(startedAt, now) : undefined;
  const ago = age === undefined ? '' : `, ${age} ago`;
  const which = typeof attempt === 'number' && attempt > 1 ? `, attempt ${attempt}` : '';
  const who = typeof pid === 'number' ? `, by process ${pid}` : '';
  return [`Started${when}${ago}${which}${who}.`, 'No result was recorded. It may or may not have happened.'];
}

function aboutRun(interrupt: Interrupt): readonly string[] {
  const { kind, payload } = interrupt;
  if (kind !== 'limit' || !isJsonObject(payload)) return [];
  const { max, spent } = payload;
  const limit = limitOf(interrupt);
  if (limit === 'cost' && spent === null)
    return ['Cost unknown: no price for this model. Extending removes the cost limit.'];
  if (limit === 'context' && spent === null) return ['The model returned no summary.'];
  if (typeof max !== 'number' || typeof spent !== 'number') return [];
  return [`used ${amountText(spent, limit)} of ${amountText(max, limit)}`];
}

/**
 * Formats a journal timestamp for display: `2026-01-31 14:02 UTC`, `today at 14:02 UTC`. Text that is not a
 * timestamp is escaped.
 */
function shownTime(at: string, now: number | undefined): string {
  const text = momentText(at);
  const today = now === undefined ? undefined : `${new Date(now).toISOString().slice(0, 10)} `;
  const isToday = text !== at && today !== undefined && text.startsWith(today);
  return isToday ? `today at ${text.slice(today.length)}` : escapeText(text);
}

/**
 * Formats the age of a timestamp. Returns `undefined` if it is less than a minute, in the future, or invalid.
 */
function ageOf(at: string, now: number): string | undefined {
  const age = now - Date.parse(at);
  return age >= 60_000 ? durationText(age) : undefined;
}
