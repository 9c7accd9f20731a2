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

/** The built-in tool by which a model asks for several calls at once. */
export const GRANT_TOOL = 'request_grant';

/** Rows of a grant at most, and uses of one of them. */
export const MOST_GRANTED = { rows: 8, times: 50 } as const;

/** The end of a grant. */
export type GrantUntil = 'turn' | 'session';

/** Calls of one tool that a grant lets run. */
export interface GrantRow {
  readonly tool: string;
  /** Digest of the tool's descriptor. */
  readonly toolDigest: string;
  /** For a server's tool: its description. */
  readonly served?: ServedTool;
  /** Absent: every call of the tool. */
  readonly scope?: SessionScope;
  readonly times: number;
}

/** Everything that a grant lets run, and until when. */
export interface GrantPlan {
  readonly until: GrantUntil;
  readonly rows: readonly GrantRow[];
}

/** What the commands of a grant may do, as their own questions say it: details, and warnings of a missing sandbox. */
export interface GrantRoom {
  readonly sandboxes: readonly string[];
  readonly warnings: readonly string[];
}

/** The parts of an approval request that a grant is: its rows in words, what their calls may do, and as data. */
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

/** `1: commands that start with npm test in /w, at most 5 times`, a row each, and until when. */
export function grantFacts({ rows, until }: GrantPlan): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(rows.map((row, at) => [String(at + 1), rowWords(row)])),
    until: `the end of this ${until}`,
  };
}

/** All of it is there: a person agrees to nothing that was cut. */
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

/** The grant in an approval request; `undefined` if there is none, or the words in it say something else (N1). */
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

/** Whether a question asks for a grant: nobody but a person makes one. */
export function asksForGrant({ source, payload }: Pick<Interrupt, 'source' | 'payload'>): boolean {
  return (
    source.type === 'tool' && source.raisedBy === 'approval' && Object.hasOwn(membersOf(payload), 'grants')
  );
}

/** The rules of a grant. `id`: that of its question; `expires`: the end of its approval, ISO 8601. */
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
