import * as z from 'zod/mini';

import type {
  ApprovalRequest,
  CallScene,
  Clock,
  GrantPlan,
  GrantRoom,
  GrantRow,
  JsonValue,
  RuledCall,
  Tool,
  ToolRule,
  ToolSet,
} from '../../core/index.js';
import {
  alwaysOffers,
  coversCall,
  digestOf,
  GRANT_TOOL,
  grantFacts,
  grantIn,
  grantRequest,
  HitlError,
  isAboutSandbox,
  isJson,
  judgeCall,
  MOST_GRANTED,
  narrowed,
  NO_SCENE,
  placedScope,
  plainLine,
  requestJson,
  SANDBOX,
  servedTool,
  SESSION_SIZES,
  sessionScope,
  toolDigest,
} from '../../core/index.js';
import { defineTool } from '../define-tool.js';

import { BUILT_IN } from './builtin-options.js';

// Invariants:
// W1 A row is one that a person could approve for later calls at the question of its example, with the same refusals.
// W2 Why a row is refused says nothing of what its gate found where a person has to look first: whether a file of keys
//    contains a text would be asked of the gate, row by row, and nobody would see a question.

/** The tools and rules of the session in which a grant is requested. */
export interface GrantOptions {
  /**
   * Returns the tools of the session. This is a function because the tools are assembled only after this tool
   * is created.
   */
  readonly tools: () => Pick<ToolSet, 'get'>;
  /** Returns the rules in force. */
  readonly rules: () => readonly ToolRule[];
  readonly clock: Clock;
}

/** Maximum length of an exact call in a grant, in characters. A longer call must be approved separately. */
const LONGEST_CALL = 1_000;
/** Maximum width of quoted text in a reason, in columns. */
const WHY_COLUMNS = 200;

const row = () =>
  z.object({
    tool: z.string().check(z.minLength(1), z.maxLength(200)),
    input: z.looseObject({}).check(z.describe('one call as an example')),
    size: z
      ._default(z.enum(['call', 'words', 'folder', 'host', 'tool']), 'call')
      .check(
        z.describe(
          'which calls: exactly this one, commands that start with its first words, files in its folder, its host, or every call of the tool',
        ),
      ),
    times: z.int().check(z.gte(1), z.lte(MOST_GRANTED.times), z.describe('how many calls you expect')),
  });

const Input = z.object({
  reason: z.string().check(z.minLength(1), z.maxLength(500), z.describe('for the user')),
  calls: z.array(row()).check(z.minLength(1), z.maxLength(MOST_GRANTED.rows)),
  until: z
    ._default(z.enum(['turn', 'session']), 'turn')
    .check(z.describe('the end of your turn, or of the session')),
});
type Wanted = z.infer<typeof Input>;
type WantedRow = Wanted['calls'][number];

/** The planned grant, or the reasons that rows cannot be granted. */
type Planned =
  | { readonly ok: true; readonly plan: GrantPlan; readonly room: GrantRoom }
  | { readonly ok: false; readonly issues: readonly string[] };

/**
 * Creates a tool that asks the user once to allow several calls. It can request only what the user could also
 * allow for later calls when asked about one of them (W1). The rules are created by the fold when the
 * approved call starts.
 */
export function requestGrant(options: GrantOptions): Tool {
  return defineTool(
    {
      name: GRANT_TOOL,
      description:
        'Asks the user once to allow calls that you will repeat, so that they are not asked about each one. Use it when you expect three or more calls of a kind that needs approval, such as a test run after each edit. Give one of them as an example, and how many you expect.',
      input: Input,
      output: z.string(),
      effect: 'idempotent',
      origin: BUILT_IN,
      title: titleOf,
      // A grant that cannot be given is refused before a person is asked, and an edit before they agree to it.
      problem: async (wanted, signal) => {
        const planned = await planOf(wanted, options, signal, NO_SCENE);
        return planned.ok ? undefined : planned.issues.join('; ');
      },
      approval: async (wanted, signal, scene): Promise<ApprovalRequest | undefined> => {
        const planned = await planOf(wanted, options, signal, scene);
        return planned.ok
          ? { reason: wanted.reason, ...grantRequest(planned.plan, planned.room), allowed: WAYS_TO_ANSWER }
          : undefined;
      },
    },
    async (wanted, context) => {
      const plan = grantIn(context.approved?.shown);
      if (plan !== undefined) return grantedWords(plan);
      const planned = await planOf(wanted, options, context.signal, context);
      throw new HitlError('TOOL_FAILED', planned.ok ? NOT_GRANTED : planned.issues.join('; '));
    },
  );
}

/** The allowed actions. `respond` is not allowed, because a typed result would not grant anything. */
const WAYS_TO_ANSWER = ['approve', 'edit', 'reject', 'cancel'] as const;
const NOT_GRANTED = 'nothing was granted; ask for it again';

/** Returns a title such as `Allow up to 15 calls without asking`. */
function titleOf({ calls }: Wanted): string {
  const all = calls.reduce((sum, { times }) => sum + times, 0);
  return `Allow ${all === 1 ? 'a call' : `up to ${all} calls`} without asking`;
}

function grantedWords(plan: GrantPlan): string {
  const { until, ...rows } = grantFacts(plan);
  return `Granted until ${until ?? ''}: ${Object.values(rows).join('; ')}. Other calls need approval as before.`;
}

async function planOf(
  { calls, until }: Wanted,
  options: GrantOptions,
  signal: AbortSignal,
  scene: CallScene,
): Promise<Planned> {
  const rows = await Promise.all(calls.map((call) => rowOf(call, options, signal, scene)));
  const seen = new Map<string, number>();
  const found = rows.map((one, at): FoundRow | string => {
    if (typeof one === 'string') return one;
    const { tool, scope } = one.row;
    const key = digestOf([tool, scope ? { ...scope } : null]);
    const before = seen.get(key);
    seen.set(key, at);
    return before === undefined ? one : `it duplicates calls[${before}]; use \`times\``;
  });
  const issues = found.flatMap((one, at) =>
    typeof one === 'string'
      ? [`calls[${at}] (${plainLine(calls[at]?.tool ?? '', WHY_COLUMNS)}): ${one}`]
      : [],
  );
  if (issues.length > 0) return { ok: false, issues };
  const all = found.filter((one) => typeof one !== 'string');
  return { ok: true, plan: { until, rows: all.map(({ row }) => row) }, room: roomOf(all) };
}

/** A row of the grant, with the question for its example call. */
interface FoundRow {
  readonly row: GrantRow;
  readonly request: ApprovalRequest;
}

/**
 * Returns the sandbox details and warnings for the commands in a grant. They are shown with the grant,
 * because the user will not be asked about each command.
 */
function roomOf(found: readonly FoundRow[]): GrantRoom {
  const commands = found.filter(({ row: { tool } }) => tool === 'run_command');
  const said = commands.map(({ request }) => request.facts?.[SANDBOX]);
  const warned = found.flatMap(({ request }) => request.warnings ?? []);
  return {
    sandboxes: [...new Set(said.filter((one) => typeof one === 'string'))],
    warnings: [...new Set(warned.filter(isAboutSandbox))],
  };
}

/** Returns the grant for a row, or the reason that it cannot be granted (W1). */
async function rowOf(
  { tool: name, input: given, size, times }: WantedRow,
  { tools, rules, clock }: GrantOptions,
  signal: AbortSignal,
  scene: CallScene,
): Promise<FoundRow | string> {
  if (name === GRANT_TOOL) return 'a grant cannot cover other grants';
  const tool = tools().get(name);
  if (tool === undefined) return 'there is no such tool';
  const asked = await askedAbout(tool, given, signal, scene);
  if (typeof asked === 'string') return asked;
  const { input, request } = asked;
  const payload = requestJson(request);
  const call = { name, input, payload, tool, at: clock.now() };
  const problem = requestProblem(request) ?? ruleProblem(call, rules());
  if (problem !== undefined) return problem;
  const offered = alwaysOffers(SESSION_SIZES, call, undefined).map((offer) => offer.size);
  if (!offered.includes(size))
    return `size \`${size}\` does not apply to it; ${offered.length === 0 ? 'no other does' : `use ${offered.join(', ')}`}`;
  const exact = size === 'tool' ? undefined : sessionScope(size, call);
  const scope = exact && placedScope(exact, payload);
  if (scope?.type === 'call' && JSON.stringify(scope.input).length > LONGEST_CALL)
    return 'it is too long to list with others; make the call, and the user will be asked about it';
  const served = servedTool(tool);
  const found = {
    ...{ tool: name, toolDigest: toolDigest(tool), times },
    ...(served && { served }),
    ...(scope && { scope }),
  };
  // A grant that would not cover its own example is none.
  return coversCall({ effect: 'allow', ...found }, call)
    ? { row: found, request }
    : `size \`${size}\` does not apply to it`;
}

interface AskedAbout {
  /** The input as parsed by the tool. */
  readonly input: JsonValue;
  readonly request: ApprovalRequest;
}

/**
 * Returns the question that the user would be asked about a call, or the reason that the user would not be
 * asked.
 */
async function askedAbout(
  tool: Tool,
  given: unknown,
  signal: AbortSignal,
  scene: CallScene,
): Promise<AskedAbout | string> {
  if (!isJson(given)) return 'its input is not JSON';
  try {
    const parsed = await tool.parseInput(given, signal);
    if (!parsed.ok) return `its input is invalid: ${plainLine(parsed.issues.join('; '), WHY_COLUMNS)}`;
    const problem = await tool.problem?.(parsed.value, signal);
    if (problem !== undefined) return `it cannot work: ${plainLine(problem, WHY_COLUMNS)}`;
    const request = await tool.approval?.(parsed.value, signal, scene);
    if (request === undefined) return 'it needs no approval; make the call';
    return { input: parsed.value, request };
  } catch {
    return TO_LOOK_AT; // W2
  }
}

/**
 * Reason used both when an approval check warns and when it fails, so that the reason does not reveal which
 * happened (W2).
 */
const TO_LOOK_AT = 'the user must review it each time; make the call, and they will be asked';

/**
 * Returns the reason that the user, when asked about a call, cannot also allow later calls. Returns
 * `undefined` if the user can.
 */
function requestProblem({
  warnings = [],
  approvers,
  deadline,
  allowed,
}: ApprovalRequest): string | undefined {
  if (!warnings.every(isAboutSandbox)) return TO_LOOK_AT; // before all else (W2)
  if (approvers !== undefined) return 'it needs specific approvers each time';
  if (deadline !== undefined) return 'its approval has a time limit';
  const ways = allowed && narrowed('confirmation', { type: 'tool' }, allowed);
  if (ways !== undefined && (!ways.allowed.includes('restart') || ways.edit === 'required'))
    return 'it cannot be approved as is';
  return undefined;
}

/**
 * If a rule in force already decides the call, returns the reason that there is nothing to grant; otherwise
 * returns `undefined`. Ignores rules from other grants.
 */
function ruleProblem(call: RuledCall, rules: readonly ToolRule[]): string | undefined {
  const verdict = judgeCall(
    rules.filter(({ bound }) => bound?.grant === undefined),
    call,
  );
  if (verdict === undefined) return undefined;
  const { effect, rule, says } = verdict;
  const named = `the rule \`${plainLine(rule.text, WHY_COLUMNS)}\``;
  if (effect === 'allow') return `it needs no approval: ${named} allows it`;
  return `${named} ${plainLine(says, WHY_COLUMNS)}`;
}
