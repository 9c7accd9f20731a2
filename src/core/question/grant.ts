// Invariants:
// N1 What a grant is shown as, and the rules that come of it, are made of the same rows by this file alone.
import { count } from '../data/plain-line.js';
import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonObject, jsonEquals, membersOf } from '../data/json.js';
import type { Shape } from '../data/shape.js';
import { json, listOf, membersProblem, oneOf, optional, text, wholeNumber, within } from '../data/shape.js';
import type { ServedTool } from './served-tool.js';
import { scopeSays } from './kept-rule.js';
import type { SessionRule, SessionScope } from './session-scope.js';

/** The built-in tool that a model uses to request approval of several calls at once. */
export const GRANT_TOOL = 'request_grant';

/** Maximum number of rows in a grant, and maximum number of uses of one row. */
export const MOST_GRANTED = { rows: 8, times: 50 } as const;

/** When a grant ends. */
export type GrantUntil = 'turn' | 'session';

/** The calls of one tool that a grant allows. */
export interface GrantRow {
  readonly tool: string;
  /** Digest of the tool's descriptor. */
  readonly toolDigest: string;
  /** For an MCP tool: the tool's version on its server. The grant is bound to this version. */
  readonly served?: ServedTool;
  /** The calls of the tool that are allowed. If absent, all of them. */
  readonly scope?: SessionScope;
  readonly times: number;
}

/** Everything that a grant allows, and when it ends. */
export interface GrantPlan {
  readonly until: GrantUntil;
  readonly rows: readonly GrantRow[];
}

/**
 * What the commands of a grant may do: sandbox details and warnings about a missing sandbox, with the same
 * wording as in the questions about the commands themselves.
 */
export interface GrantRoom {
  readonly sandboxes: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Returns the properties that describe a grant in an approval request: details in words, warnings, and the
 * grant as data.
 */
export function grantRequest(
  plan: GrantPlan,
  { sandboxes, warnings }: GrantRoom = { sandboxes: [], warnings: [] },
): {
  readonly facts: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
  readonly grants: JsonObject;
} {
  // A missing sandbox is warned of, in more words.
  const isSaid = sandboxes.length > 0 && warnings.length === 0;
  return {
    facts: { ...grantFacts(plan), ...(isSaid && { commands: sandboxes.join('; ') }) },
    ...(warnings.length > 0 && { warnings }),
    grants: grantJson(plan),
  };
}

/**
 * Describes a grant with one detail per row, such as `1: commands that start with npm test in /w, at most 5
 * times`, and one detail that says when the grant ends.
 */
export function grantFacts({ rows, until }: GrantPlan): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(rows.map((row, at) => [String(at + 1), rowWords(row)])),
    until: `the end of this ${until}`,
  };
}

/** Describes a row in full, because a person must never approve text that was cut. */
function rowWords({ tool, scope, times }: GrantRow): string {
  const calls =
    scope?.type === 'call' ? `${tool}, exactly ${JSON.stringify(scope.input)}` : scopeSays(tool, scope);
  return `${calls}, ${times === 1 ? 'once' : `at most ${count(times, 'time')}`}`;
}

function grantJson({ rows, until }: GrantPlan): JsonObject {
  return {
    until,
    rows: rows.map(({ tool, toolDigest, served, scope, times }) => ({
      ...{ tool, toolDigest, times },
      ...(served && { served: { ...served } }),
      ...(scope && { scope: { ...scope, ...(scope.type === 'words' && { words: [...scope.words] }) } }),
    })),
  };
}

/**
 * Returns the grant in an approval request; `undefined` if there is none, or if the words that describe it do
 * not match its data (N1).
 */
export function grantIn(request: JsonValue | undefined): GrantPlan | undefined {
  const { grants, facts } = membersOf(request);
  if (!isGrantPlan(grants)) return undefined;
  const told = membersOf(facts);
  const isTold = Object.entries(grantFacts(grants)).every(([name, fact]) => told[name] === fact);
  // A detail in the place of a row that is not there would be taken for one.
  const more = Object.keys(told).some((name) => /^\d+$/u.test(name) && Number(name) > grants.rows.length);
  return isTold && !more && jsonEquals(grantJson(grants), grants) ? grants : undefined;
}

function isGrantPlan(value: unknown): value is GrantPlan & JsonObject {
  if (!isJsonObject(value)) return false;
  if (
    membersProblem(value, { until: oneOf(['turn', 'session']), rows: listOf(rowShape, 'rows') }) !== undefined
  )
    return false;
  const { rows } = value;
  return Array.isArray(rows) && rows.length > 0 && rows.length <= MOST_GRANTED.rows;
}

const rowShape: Shape = (value, place) =>
  within({
    tool: text,
    toolDigest: text,
    served: optional(
      within({
        ...{ name: text, reached: text, description: text, claims: text, input: text, digest: text },
        title: optional(text),
      }),
    ),
    scope: optional(scopeShape),
    times: timesShape,
  })(value, place);

const timesShape: Shape = (value, place) =>
  wholeNumber(1)(value, place) ??
  (Number(value) <= MOST_GRANTED.times ? undefined : `\`${place}\` must be at most ${MOST_GRANTED.times}`);

const SCOPES: Readonly<Record<SessionScope['type'], Readonly<Record<string, Shape>>>> = {
  call: { shown: text, input: json },
  words: { shown: text, words: listOf(text, 'words'), folder: optional(text) },
  folder: { shown: text, folder: text },
  host: { shown: text, host: text },
};

const scopeShape: Shape = (value, place) => {
  if (!isJsonObject(value)) return `\`${place}\` must be an object`;
  const { type } = value;
  const isKnown = (name: unknown): name is SessionScope['type'] =>
    typeof name === 'string' && Object.hasOwn(SCOPES, name);
  return isKnown(type) ? membersProblem(value, SCOPES[type], place) : `\`${place}.type\` is unknown`;
};

/** Whether a question asks for a grant. Only a person can approve a grant. */
export function asksForGrant({ source, payload }: Pick<Interrupt, 'source' | 'payload'>): boolean {
  return (
    source.type === 'tool' && source.raisedBy === 'approval' && Object.hasOwn(membersOf(payload), 'grants')
  );
}

/**
 * Returns the rules that a grant creates. `id` is the id of its question, and `expires` is the time when its
 * approval ends, ISO 8601.
 */
export function rulesOfGrant(
  { rows, until }: GrantPlan,
  { id, expires }: { readonly id: string; readonly expires?: string | undefined },
): readonly SessionRule[] {
  return rows.map(({ tool, toolDigest, served, scope, times }, at) => ({
    ...{ effect: 'allow', tool, toolDigest },
    ...(served && { served }),
    ...(scope && { scope }),
    ...(expires !== undefined && { until: expires }),
    grant: { id: `${id}.${at + 1}`, of: times, left: times, ...(until === 'turn' && { until }) },
  }));
}
