// Invariants:
// Q1 Only a person, or a rule about a call that was looked at whole, gives a permission; where neither did, it is refused.
// Q2 An approval is of all that was shown: a person may choose another option of it, and change nothing else.
// Q3 A kept answer is given once, for the same permission (K2 of `../../src/models/acp/history.ts`).
import { createTwoFilesPatch } from 'diff';
import * as z from 'zod/mini';

import type {
  AnswerWay,
  ApprovalRequest,
  Facts,
  JsonObject,
  Message,
  Tool,
  ToolResponsePart,
  ToolRule,
} from '../../src/core/index.js';
import {
  bareText,
  HitlError,
  isJsonObject,
  jsonEquals,
  judgeCall,
  membersOf,
  RUNS_IT,
} from '../../src/core/index.js';
import { agentRow, keptAnswer, PERMISSION_TOOL } from '../../src/models/acp/index.js';
import { defineTool } from '../../src/tools/index.js';
import type { Io } from '../host/index.js';
import type { Look } from './looks.js';
import { commandLook, diffsLook, pathLook, urlLook } from './looks.js';
import type { PlannedCall, Starts } from './planned.js';
import { plannedLook } from './planned.js';

const KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;
const text = () => z.string();

const Permission = z
  .object({
    ...{ agent: text(), call: text(), title: text(), kind: text() },
    input: z.optional(z.json()),
    diffs: z.optional(z.array(z.object({ path: text(), before: text(), after: text() }))),
    text: z.optional(text()),
    places: z.optional(z.array(text())),
    options: z.array(z.object({ id: text(), name: text(), kind: z.enum(KINDS) })),
    option: text().check(z.describe('the option that an approval selects')),
    earlier: z.optional(text()),
  })
  .check(
    z.refine(
      ({ option, options }) =>
        option === '' || options.some(({ id, kind }) => id === option && kind.startsWith('allow_')),
      { path: ['option'], message: 'must be one of the agent’s options that allow it' },
    ),
  );
type Asked = z.infer<typeof Permission>;

/** How to interpret a permission request, by kind. */
const LOOKS: Readonly<Record<string, Look>> = {
  execute: commandLook(['description', 'timeout', 'run_in_background']),
  edit: diffsLook,
  read: pathLook,
  fetch: urlLook,
};

/** The verdict of the rules on a permission request. */
type Verdict = 'allow' | 'ask' | { readonly denied: string };

interface PermissionPlace {
  /** The current rules. */
  readonly rules: () => readonly ToolRule[];
  readonly starts: Starts;
}

/**
 * Creates the tool that asks the user for permission on an agent's behalf. Rules judge the request as if it
 * were a call to a built-in tool. The tool itself runs nothing, because the agent runs the call.
 */
export function agentPermission(io: Io, { rules, starts }: PermissionPlace): Tool {
  const planOf = (asked: Asked): Promise<PlannedCall> | undefined => {
    const look = Object.hasOwn(LOOKS, asked.kind) ? LOOKS[asked.kind] : undefined;
    if (look === undefined) return undefined;
    const input = look === diffsLook ? { diffs: asked.diffs ?? [] } : membersOf(asked.input);
    return plannedLook(io, { look, name: look.name, input, folder: io.cwd }, starts);
  };
  const verdictOf = (asked: Asked, plan: PlannedCall | undefined): Verdict => {
    if (plan === undefined) return 'ask';
    const verdicts = plan.ruled.map((call) => judgeCall(rules(), call));
    const denied = verdicts.find((one) => one?.effect === 'deny');
    if (denied !== undefined) return { denied: `the rule \`${denied.rule.text}\` denies it` };
    const isOnce = asked.options.some(({ id, kind }) => id === asked.option && kind === 'allow_once');
    const isKnown = agentRow(asked.agent) !== undefined; // the word of any other program allows nothing
    const isAllowed = verdicts.length > 0 && verdicts.every((one) => one?.effect === 'allow');
    return plan.isWhole && isOnce && isKnown && isAllowed ? 'allow' : 'ask';
  };
  return defineTool(
    {
      name: PERMISSION_TOOL,
      description: 'Asks the user for a permission on behalf of the agent.',
      input: Permission,
      effect: 'idempotent',
      origin: 'agent',
      editing: { field: 'option' },
      title: (asked) => `${nameOf(asked)} wants to: ${asked.title}`,
      approval: async (asked, _signal, scene) => {
        if (keptFor(asked, scene.ref, scene.messages) !== undefined) return undefined; // Q3
        const plan = await planOf(asked);
        return verdictOf(asked, plan) === 'ask' ? requestOf(asked, plan) : undefined;
      },
    },
    async (asked, context) => {
      if (context.approved !== undefined) return chosen(asked, context.originalInput);
      const kept = keptFor(asked, context.ref, context.messages);
      if (kept !== undefined) {
        if (kept.isError === true) throw new HitlError('TOOL_FAILED', bareText(kept.output));
        return kept.output;
      }
      const verdict = verdictOf(asked, await planOf(asked));
      if (verdict === 'allow') return chosen(asked, undefined);
      throw new HitlError('TOOL_FAILED', verdict === 'ask' ? 'no one has approved it' : verdict.denied); // Q1
    },
  );
}

/** Returns the chosen option (Q2). */
function chosen(asked: Asked, before: unknown): JsonObject {
  const { option, ...rest } = asked;
  const { option: _option, ...was } = membersOf(before ?? asked);
  if (!jsonEquals(asJson(rest), was))
    throw new HitlError('TOOL_FAILED', 'only the permission option can be changed; the request was refused');
  if (option === '') throw new HitlError('TOOL_FAILED', 'no option was chosen; the request was refused');
  return { option };
}

function asJson(value: object): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(value));
  return isJsonObject(json) ? json : {};
}

/**
 * Returns the earlier answer that a call refers to, if that answer is for the same permission and no other
 * call has used it (Q3).
 */
function keptFor(asked: Asked, ref: string, messages: Iterable<Message>): ToolResponsePart | undefined {
  const { earlier, ...input } = asked;
  if (earlier === undefined) return undefined;
  // The call itself is in the history by now, and what comes after it.
  const before: Message[] = [];
  for (const message of messages) {
    if (message.content.some((part) => part.type === 'tool-request' && part.ref === ref)) break;
    before.push(message);
  }
  const call = { name: PERMISSION_TOOL, input: asJson(input) };
  const answer = keptAnswer(before, call, { kept: [earlier], given: [] });
  return answer?.ref === earlier ? answer.response : undefined;
}

/** Returns the agent's name if it is a known agent; otherwise "the agent". */
function nameOf({ agent }: Pick<Asked, 'agent'>): string {
  return agentRow(agent) === undefined ? 'the agent' : agent;
}

/** Returns the request to show: the details of the planned call, with a note that the agent runs it. */
function requestOf(asked: Asked, plan: PlannedCall | undefined): ApprovalRequest {
  const { option, diffs = [] } = asked;
  const { request = {} } = plan ?? {};
  const facts: Facts = { ...request.facts, [RUNS_IT]: `${nameOf(asked)}, not hitl (according to the agent)` };
  const diff =
    request.diff ??
    (diffs.length === 0
      ? undefined
      : diffs.map((one) => createTwoFilesPatch(one.path, one.path, one.before, one.after)).join('\n'));
  const ways: AnswerWay[] = ['edit', 'reject', 'respond', 'cancel'];
  return {
    ...request,
    facts,
    ...(diff !== undefined && { diff }),
    ...(option === '' && {
      allowed: ways,
      warnings: [
        ...(request.warnings ?? []),
        'the agent offers no option to allow this once; edit to choose another',
      ],
    }),
  };
}
