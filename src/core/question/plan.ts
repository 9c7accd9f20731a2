import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonObject, membersOf, jsonEquals, isJsonArray } from '../data/json.js';
import { digestOf } from '../data/digest.js';
import type { ApprovalPolicy } from '../data/interrupt.js';
import { approversJson } from './approvers.js';
import { codeProblems } from './terms.js';
import type { Age } from './terms.js';
import type { Actor } from '../data/resolution.js';

/** The approval request that a tool's approval check returns. */
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
  /** The parsed input that is passed to the body. */
  readonly input: JsonValue;
  /** The tool's `schemaDigest`; absent if the question did not record it. */
  readonly tool?: string;
  /** The code that runs, as identified by `Tool.code`; absent if unknown. */
  readonly code?: string;
  /**
   * The approval request from the gate for this input: details, diff and warnings. Absent if the gate does
   * not ask.
   */
  readonly request?: JsonObject;
  /** Required approvers. If absent, any one person. */
  readonly approvers?: ApprovalPolicy;
  /** Approvers after each escalation. They do not change what the call does. */
  readonly standIns?: readonly ApprovalPolicy[];
}

/** An approved plan. */
export type AgreedPlan = Omit<ToolPlan, 'name' | 'standIns'> & {
  /** Set if the input is stored as typed. When the input is parsed, the tool's schema may add to it. */
  readonly asTyped?: true;
  /** Everything that was shown with the question. */
  readonly shown: JsonValue;
  /**
   * How long the approval is valid. If absent, the approval is valid indefinitely or has already been used.
   */
  readonly age?: Age;
};

/** The properties that show whether someone has seen the result of an edit. */
type MaybeEdited = Pick<AgreedPlan, 'asTyped' | 'request'> & { readonly edited?: boolean };
/**
 * Whether no one has seen the result of an edit. If so, hitl asks about the result, and additions to it are
 * not reported as differences.
 */
export function isUnseenEdit({ edited, asTyped, request }: MaybeEdited): boolean {
  return edited === true && asTyped === true && request === undefined;
}

/**
 * Whether hitl must ask about the unseen result of an edit. This is the case if the result differs from the
 * content shown for the original call, or if it requests a grant.
 */
export function asksForEdit(agreed: AgreedPlan & MaybeEdited, { request }: ToolPlan): boolean {
  if (!isUnseenEdit(agreed) || request === undefined) return false;
  if (request['grants'] !== undefined) return true; // its rules are made of what was shown
  return requestDifferences(saidIn(agreed.shown, request), request).length > 0;
}

/** Prefix for changes that were not caused by the edit. */
const NOT_BY_EDIT = 'something other than the edit has changed';

/**
 * Describes changes that were not caused by the edit: the gate's current request for the original call
 * differs from the one that was shown. `now` is absent if the current request can no longer be determined.
 */
export function changedBesideEdit(shown: JsonValue, now: JsonObject | undefined): readonly string[] {
  const before = requestIn(shown);
  if (now !== undefined && jsonEquals(before, now)) return [];
  const lines = now === undefined ? [] : requestDifferences(before, now);
  return askedAgainLines(lines.length === 0 ? [NOT_BY_EDIT] : lines.map((line) => `${NOT_BY_EDIT}: ${line}`));
}

/** Prefix for each difference between a call and the approved one. */
const NOT_APPROVED = 'not what was approved: ';
/** Prefix for the reason an approval of the same plan ended. */
const ASKED_AGAIN = 'asked again: ';

/** Whether hitl itself added a warning about a void approval. Such warnings are not part of a plan. */
function isOwn(warning: string): boolean {
  return warning.startsWith(NOT_APPROVED) || warning.startsWith(ASKED_AGAIN);
}

/** Formats the reasons that an approval is void as warnings. */
export function askedAgainLines(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${ASKED_AGAIN}${line}`);
}

/** Returns an approval request as shown, without hitl's own warnings about changes. */
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

/** Restores an approval request from the content that was shown. */
export function requestIn(payload: JsonValue): JsonObject {
  if (!isJsonObject(payload)) return {};
  const { warnings } = payload;
  const all = Array.isArray(warnings) ? warnings.filter((one) => typeof one === 'string') : [];
  const { warnings: _all, ...rest } = payload;
  const own = all.filter((warning) => !isOwn(warning));
  return { ...rest, ...(own.length > 0 && { warnings: own }) };
}

/** Returns the digest of a plan. Plans with the same digest do the same thing. */
export function planDigest({ name, input, tool = '', code, request = {}, approvers }: ToolPlan): string {
  const people = approvers === undefined ? [] : [approversJson(approvers)];
  return digestOf([name, input, tool, request, ...people, ...(code === undefined ? [] : [{ code }])]);
}

/**
 * Describes how a plan differs from the approved one, with one line per difference. Empty if there are none.
 */
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

/**
 * Returns only the shown properties that the gate's current request also has. The gate had not asked for this
 * input before, so all properties of its request must have been shown, but other properties may have been
 * shown as well.
 */
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
  grants: 'the calls it allows have changed',
};

/** Describes the properties in which two objects differ, one per line. */
export function memberDifferences(old: JsonObject, found: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(found)])]
    .filter((name) => !jsonEquals(old[name] ?? null, found[name] ?? null))
    .map((name) => `${name} changed from ${textOf(old[name])} to ${textOf(found[name])}`);
}

function textOf(fact: JsonValue | undefined): string {
  return fact === undefined ? 'missing' : typeof fact === 'string' ? fact : JSON.stringify(fact);
}

/**
 * Whether an edited input may run without another question. If the edit was made at a terminal, the details,
 * diff and warnings must be the same as those shown. If it was made remotely, there must be no new warnings.
 * In both cases, grants must be unchanged.
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
