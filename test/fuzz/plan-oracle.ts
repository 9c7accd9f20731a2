import type {
  ApprovalRequest,
  Interrupt,
  JsonObject,
  JsonValue,
  Resolution,
  SessionEvent,
} from '../../src/core/index.js';
import { canonicalJson, isJsonObject } from '../../src/core/index.js';

/** An answer with what was there when it was kept. */
export interface Answered {
  readonly interrupt: Interrupt;
  readonly resolution: Resolution;
  readonly isTerminal: boolean;
  /** What the gate said of the edited input then. */
  readonly found?: ApprovalRequest;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The body was entered since. */
  readonly isUsed: boolean;
}

/** A body that is entered, and what its gate says at that moment. */
export interface Entry {
  readonly input: JsonValue;
  readonly gate: ApprovalRequest | undefined;
  /** The body had asked, and is told that somebody agreed. */
  readonly isResumed: boolean;
  readonly tool: string;
  readonly code: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const MEMBERS = ['reason', 'facts', 'diff', 'warnings'] as const;
const OURS = ['not what was approved: ', 'asked again: '];

/** What was said with a question, without what is said about it having changed. */
function wordsOf(said: JsonValue | ApprovalRequest | undefined): JsonObject {
  const given = isJsonObject(said) ? said : {};
  const warnings = Array.isArray(given['warnings']) ? (given['warnings'] as readonly string[]) : [];
  const own = warnings.filter((warning) => !OURS.some((words) => warning.startsWith(words)));
  const all: JsonObject = { ...given, warnings: own };
  return Object.fromEntries(MEMBERS.flatMap((member) => (member in all ? [[member, all[member]!]] : [])));
}

function same(left: JsonValue, right: JsonValue): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

/**
 * Law 5, told by what can be seen from outside: why a body may not be entered like this, for all questions about it
 * and all answers to them, in their order. It knows nothing of calls, plans and approvals.
 */
export function lawProblem(
  answers: readonly Answered[],
  entry: Entry,
  parsed: (input: JsonValue) => JsonValue | undefined,
): string | undefined {
  const { input, gate, isResumed, tool, code, at } = entry;
  if (answers.some(({ resolution: { action } }) => ['cancel', 'reject', 'respond'].includes(action)))
    return 'it was decided otherwise';
  // The last word that let it run was for this code, and a yes was young enough when the body was first entered.
  const last = (...actions: readonly string[]): Answered | undefined =>
    answers.findLast(({ resolution: { action } }) => actions.includes(action));
  const agreed = last('restart') ?? last('retry');
  if (agreed?.interrupt.bound !== undefined && agreed.interrupt.bound.code !== code)
    return 'other code was agreed to';
  const { approvalLastsMs = Infinity } = agreed?.interrupt ?? {};
  if (agreed?.resolution.action === 'restart' && !agreed.isUsed && at > agreed.at + approvalLastsMs)
    return 'the yes was too old';
  const isForeign = answers.some(
    ({ interrupt: { source, kind } }) =>
      source.type === 'tool' && source.raisedBy === 'engine' && kind === 'confirmation',
  );
  if (gate === undefined && !isResumed && !isForeign) return undefined;
  const yeses = answers.filter(({ resolution }) => resolution.action === 'restart');
  const yes = yeses.at(-1);
  if (yes === undefined) return 'nobody agreed';
  if (!same(agreedInput(yes, parsed) ?? null, input)) return 'another input was agreed to';
  const { bound } = yes.interrupt;
  if (bound !== undefined && bound.tool !== tool) return 'another tool was agreed to';
  return gate === undefined || isSaid(yeses, wordsOf(gate)) ? undefined : 'another plan was agreed to';
}

function agreedInput(
  { interrupt, resolution }: Answered,
  parsed: (input: JsonValue) => JsonValue | undefined,
) {
  const edit = resolution.action === 'restart' ? resolution.input : undefined;
  if (edit !== undefined) return parsed(edit);
  return interrupt.source.type === 'tool' ? parsed(interrupt.source.input) : undefined;
}

/** True where the last yes, or the ones before it that it left standing, were given to these words. */
function isSaid(yeses: readonly Answered[], now: JsonObject): boolean {
  const yes = yeses.at(-1);
  if (yes === undefined) return false;
  const { interrupt, resolution, isTerminal, found } = yes;
  const isGate = interrupt.source.type === 'tool' && interrupt.source.raisedBy === 'approval';
  const shown = wordsOf(interrupt.payload);
  if (resolution.action === 'restart' && resolution.input !== undefined) {
    if (found === undefined) return isWithin(now, shown);
    const then = wordsOf(found);
    const seen = isGate ? shown : {};
    const isSeen = isTerminal
      ? sameWords({ ...seen, reason: null }, { ...then, reason: null })
      : noNewWarnings(seen, then);
    return (isSeen && sameWords(then, now)) || isWithin(now, shown);
  }
  if (isGate) return sameWords(shown, now);
  // A body that asked did so behind its gate: what that was told stands, where it was told anything.
  const before = yeses.slice(0, -1);
  return before.length > 0 && gateCounts(before) ? isSaid(before, now) : isWithin(now, shown);
}

function gateCounts(yeses: readonly Answered[]): boolean {
  return yeses.some(
    ({ interrupt, found }) =>
      found !== undefined || (interrupt.source.type === 'tool' && interrupt.source.raisedBy === 'approval'),
  );
}

function sameWords(left: JsonObject, right: JsonObject): boolean {
  const filled = (words: JsonObject): JsonObject =>
    Object.fromEntries(
      MEMBERS.map((member) => [
        member,
        member === 'warnings' ? (words[member] ?? []) : (words[member] ?? null),
      ]),
    );
  return same(filled(left), filled(right));
}

function noNewWarnings(seen: JsonObject, then: JsonObject): boolean {
  const before = warningsOf(seen);
  return warningsOf(then).every((one) => before.includes(one));
}

function warningsOf({ warnings }: JsonObject): readonly JsonValue[] {
  return Array.isArray(warnings) ? (warnings as readonly JsonValue[]) : [];
}

/** Everything that is said now had been said. */
function isWithin(now: JsonObject, shown: JsonObject): boolean {
  return MEMBERS.every((member) => {
    const word = now[member] ?? null;
    const isEmpty = word === null || (Array.isArray(word) && word.length === 0);
    return isEmpty || same(word, shown[member] ?? null);
  });
}

type Source = Interrupt['source'] & { readonly type: 'tool' };

/** The journals that a forger would make of one: each with another start, or another question, than was agreed to. */
export function forgeries(
  journal: readonly SessionEvent[],
  asking: (interrupt: Interrupt, source: Source) => Interrupt,
): readonly (readonly SessionEvent[])[] {
  const input = { path: 'forged', n: 7 };
  return journal.flatMap((event, index) => forgedEvents(event).map((by) => [...journal.slice(0, index), by]));

  function forgedEvents(event: SessionEvent): readonly SessionEvent[] {
    if (event.type === 'tool-started') {
      const plans = [
        { ...event, input },
        { ...event, plan: '0'.repeat(64) },
      ];
      return [{ ...event, name: 'other' }, ...(event.plan === undefined ? [] : plans)];
    }
    if (event.type !== 'interrupt-raised' || event.interrupt.source.type !== 'tool') return [];
    const { interrupt } = event;
    const { source } = event.interrupt;
    const sources = [
      { ...source, name: 'other' },
      ...(source.raisedBy === 'approval' ? [] : [{ ...source, input }]),
    ];
    return sources.map((one) => ({ ...event, interrupt: asking(interrupt, one) }));
  }
}
