import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonObject, membersOf, jsonEquals, isJsonArray } from '../data/json.js';
import { digestOf } from '../data/digest.js';
import type { ApprovalPolicy } from '../data/interrupt.js';
import { approversJson } from './approvers.js';
import { codeProblems } from './terms.js';
import type { Age } from './terms.js';
import type { Actor } from '../data/resolution.js';

/** The request of a tool's approval check. */
interface GateWords {
  readonly reason?: string;
  readonly facts?: Readonly<Record<string, string>>;
  readonly diff?: string;
  readonly warnings?: readonly string[];
  readonly grants?: JsonObject;
}

/** Everything that determines what a call does (law 5). */
export interface ToolPlan {
  readonly name: string;
  /** The parsed input that the body gets. */
  readonly input: JsonValue;
  /** `schemaDigest` of the tool; absent if the question did not name the tool. */
  readonly tool?: string;
  /** `Tool.code`: the code that runs; absent if unknown. */
  readonly code?: string;
  /** The gate's request about this input: details, difference, warnings; absent if it does not ask. */
  readonly request?: JsonObject;
  /** Required approvers; absent: one, anybody. */
  readonly approvers?: ApprovalPolicy;
  /** Approvers after an escalation; not part of the call's effect. */
  readonly standIns?: readonly ApprovalPolicy[];
}

/** An approved plan. */
export type AgreedPlan = Omit<ToolPlan, 'name' | 'standIns'> & {
  /** The input is as typed; the tool's schema may have added to it. */
  readonly asTyped?: true;
  /** Everything shown with the question. */
  readonly shown: JsonValue;
  /** The approval's validity; absent: unlimited, or already used. */
  readonly age?: Age;
};

/** An edit of which nobody saw yet what comes of it. */
type MaybeEdited = Pick<AgreedPlan, 'asTyped' | 'request'> & { readonly edited?: boolean };
/** True for an edit of which nobody saw what comes of it: it is asked about, and what is new by it is no difference. */
export function isUnseenEdit({ edited, asTyped, request }: MaybeEdited): boolean {
  return edited === true && asTyped === true && request === undefined;
}

/** True where an edit that nobody saw comes to something else than what was shown of the call before it. */
export function asksForEdit(agreed: AgreedPlan & MaybeEdited, { request }: ToolPlan): boolean {
  if (!isUnseenEdit(agreed) || request === undefined) return false;
  if (request['grants'] !== undefined) return true; // its rules are made of what was shown
  return requestDifferences(saidIn(agreed.shown, request), request).length > 0;
}

/** The words in front of what changed beside an edit. */
const NOT_BY_EDIT = 'something other than the edit has changed';

/**
 * Says what changed beside an edit: the call before it, as its gate sees it now, is not what was shown of it. `now` is
 * absent where that cannot be told any more.
 */
export function changedBesideEdit(shown: JsonValue, now: JsonObject | undefined): readonly string[] {
  const before = requestIn(shown);
  if (now !== undefined && jsonEquals(before, now)) return [];
  const lines = now === undefined ? [] : requestDifferences(before, now);
  return askedAgainLines(lines.length === 0 ? [NOT_BY_EDIT] : lines.map((line) => `${NOT_BY_EDIT}: ${line}`));
}

/** The words in front of every difference that is shown. */
const NOT_APPROVED = 'not what was approved: ';
/** Prefix of the reason why an approval of the same plan ended. */
const ASKED_AGAIN = 'asked again: ';

/** Whether a warning is our own, about a void approval: not part of a plan. */
function isOwn(warning: string): boolean {
  return warning.startsWith(NOT_APPROVED) || warning.startsWith(ASKED_AGAIN);
}

/** Formats the reasons of a void approval as warnings. */
export function askedAgainLines(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${ASKED_AGAIN}${line}`);
}

/** Returns the request as shown, without our own warnings about changes. */
export function requestJson(request: GateWords): JsonObject {
  const { reason, facts, diff, warnings = [], grants } = request;
  const own = warnings.filter((warning) => !isOwn(warning));
  return {
    ...(reason !== undefined && { reason }),
    ...(facts !== undefined && { facts }),
    ...(diff !== undefined && { diff }),
    ...(own.length > 0 && { warnings: own }),
    ...(grants !== undefined && { grants }),
  };
}

/** Restores the request from what was shown. */
export function requestIn(payload: JsonValue): JsonObject {
  if (!isJsonObject(payload)) return {};
  const { warnings } = payload;
  const all = Array.isArray(warnings) ? warnings.filter((one) => typeof one === 'string') : [];
  const { warnings: _all, ...rest } = payload;
  const own = all.filter((warning) => !isOwn(warning));
  return { ...rest, ...(own.length > 0 && { warnings: own }) };
}

/** The digest of a plan: plans with the same digest have the same effect. */
export function planDigest({ name, input, tool = '', code, request = {}, approvers }: ToolPlan): string {
  const people = approvers === undefined ? [] : [approversJson(approvers)];
  return digestOf([name, input, tool, request, ...people, ...(code === undefined ? [] : [{ code }])]);
}

/** Says why a plan is not the one that was agreed to, a line for each reason; empty where it is. */
export function planDifferences(agreed: AgreedPlan & MaybeEdited, now: ToolPlan): readonly string[] {
  const { tool, code } = agreed;
  const about = { what: now.name, done: 'approved' } as const;
  return [
    ...differences(agreed, now).map((line) => `${NOT_APPROVED}${line}`),
    ...(tool === undefined ? [] : askedAgainLines(codeProblems(code, now.code, about))),
  ];
}

function differences(agreed: AgreedPlan & MaybeEdited, now: ToolPlan): readonly string[] {
  if (agreed.tool !== undefined && agreed.tool !== now.tool)
    return ['the tool’s schema or effect has changed'];
  if (agreed.asTyped !== true && !jsonEquals(agreed.input, now.input)) return ['the input has changed'];
  if (now.request === undefined) return [];
  const people = approversJson(agreed.approvers ?? {});
  const meant = [now.approvers ?? {}, ...(now.standIns ?? [])];
  if (!meant.some((one) => jsonEquals(people, approversJson(one))))
    return ['the required approvers have changed'];
  if (agreed.request !== undefined) return requestDifferences(agreed.request, now.request);
  if (isUnseenEdit(agreed)) return [];
  return requestDifferences(saidIn(agreed.shown, now.request), now.request);
}

/** The gate had not asked: what it says now must have been said all the same, and more may have been. */
function saidIn(shown: JsonValue, request: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(requestIn(shown)).filter(([member]) => Object.hasOwn(request, member)),
  );
}

function requestDifferences(shown: JsonObject, now: JsonObject): readonly string[] {
  const members = [...new Set([...Object.keys(shown), ...Object.keys(now)])];
  return members.flatMap((member) => {
    const [before, after] = [shown[member] ?? null, now[member] ?? null];
    if (jsonEquals(before, after)) return [];
    if (member === 'facts') return memberDifferences(membersOf(before), membersOf(after));
    return [DIFFERS[member] ?? `\`${member}\` has changed`];
  });
}

const DIFFERS: Readonly<Record<string, string>> = {
  reason: 'the reason has changed',
  diff: 'the change it makes is different',
  warnings: 'the warnings have changed',
  grants: 'the calls that it allows have changed',
};

/** Lists the properties in which two objects differ, one line each. */
export function memberDifferences(old: JsonObject, found: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(found)])]
    .filter((name) => !jsonEquals(old[name] ?? null, found[name] ?? null))
    .map((name) => `${name} was ${textOf(old[name])} and is now ${textOf(found[name])}`);
}

function textOf(fact: JsonValue | undefined): string {
  return fact === undefined ? 'missing' : typeof fact === 'string' ? fact : JSON.stringify(fact);
}

/**
 * Whether an edited input may run without another question. A user at a terminal saw everything about it; a
 * remote approver accepts the edit's outcome, but no new warnings, and nothing else that it grants.
 */
export function editHolds(by: Actor, shown: JsonObject, now: JsonObject): boolean {
  if (!jsonEquals(shown['grants'] ?? null, now['grants'] ?? null)) return false;
  if (by.type === 'person' && by.via === 'terminal')
    return ['facts', 'diff', 'warnings'].every((member) =>
      jsonEquals(shown[member] ?? null, now[member] ?? null),
    );
  const before = shown['warnings'] ?? [];
  const after = now['warnings'] ?? [];
  if (!isJsonArray(before) || !isJsonArray(after)) return false;
  return after.every((warning) => before.some((one) => jsonEquals(one, warning)));
}
