import type { SessionEvent } from '../event.js';
import type { Effect, Interrupt } from '../interrupt.js';
import type { JsonValue } from '../json/index.js';
import { isJsonObject, jsonEquals } from '../json/index.js';
import type { SettledVia, ToolOutcome } from './outcome.js';
import type { ToolRequestPart } from '../message/index.js';
import type { AgreedPlan } from '../plan/index.js';
import { requestIn } from '../plan/index.js';
import type { Actor, Resolution, ShownEdit } from '../resolution.js';
import type { SecretMember, SecretsOf } from '../secret/index.js';
import { placesBehind } from '../secret/index.js';
import { actorProblem } from '../shape/index.js';
import type { Vote } from '../people/index.js';

/** The stations of a call of a tool, from the request to its outcome. */
export type CallState =
  | { readonly status: 'ready' }
  | {
      readonly status: 'started';
      readonly input: JsonValue;
      readonly effect: Effect;
      readonly startedAt: string;
      /** The call in one line, in the words of its tool. */
      readonly title?: string;
    }
  | { readonly status: 'interrupted'; readonly interrupt: Interrupt }
  | { readonly status: 'settled'; readonly outcome: ToolOutcome; readonly via: SettledVia };

/** An interrupt of a call, with what was decided about it. */
export interface ResolvedInterrupt {
  readonly interrupt: Interrupt;
  readonly resolution: Resolution;
  readonly by: Actor;
  /** ISO 8601; a label, absent where nobody noted it. */
  readonly resolvedAt?: string;
  /** The places of typed secrets, as JSON pointers into the resolution: masks stand there. */
  readonly secrets?: readonly string[];
  /** The votes that decided it, where it needed more than one. */
  readonly votes?: readonly Vote[];
  /** Names the answer, where it was posted. */
  readonly receipt?: string;
}

/** The secrets of a call that a person typed: masks stand in their places. */
export interface CallSecrets {
  /** Of the edited input. */
  readonly input?: SecretsOf;
  /** Of what a restart hands to the tool, with the question that it answered. */
  readonly resumed?: SecretsOf & { readonly question: Interrupt };
}

/** A person agreed to run a call: to this plan, and to no other (G11). */
export interface Approval extends AgreedPlan {
  readonly edited: boolean;
  /** The payload of the interrupt that was answered; of an edit, what was found of the edited input. */
  readonly shown: JsonValue;
}

/** One tool call of a model message, from request to outcome. */
export interface Call {
  /** As the model wrote it; an edit never changes it. */
  readonly request: ToolRequestPart;
  /** The input that runs: the request's own, or what a human put in its place. */
  readonly input: JsonValue;
  /** The input before the latest edit; absent where there was none. */
  readonly originalInput?: JsonValue;
  /** The value that a restart hands to the tool; its presence alone says "you are being re-run". */
  readonly resumed?: JsonValue;
  /** Secrets in `input` and `resumed`; absent where nobody typed one. */
  readonly secrets?: CallSecrets;
  /** The run that a recorded resolution agreed to. */
  readonly approval?: Approval;
  /** The number of times that the gate in front of the tool asked. */
  readonly gated?: number;
  /** The number of times that the tool was started. */
  readonly attempts: number;
  readonly state: CallState;
  /** The latest answered interrupt. */
  readonly resolved?: ResolvedInterrupt;
}

/** A call as it is when the model's reply arrives. */
export function newCall(request: ToolRequestPart): Call {
  return { request, input: request.input, attempts: 0, state: { status: 'ready' } };
}

/** The call while a person is asked. What was agreed to before counts no more once the gate asks again. */
export function asked(call: Call, interrupt: Interrupt): Call {
  const state = { status: 'interrupted', interrupt } as const;
  if (interrupt.source.type !== 'tool' || interrupt.source.raisedBy !== 'approval') return { ...call, state };
  const { approval: _approval, resumed: _resumed, gated = 0, ...rest } = call;
  return { ...rest, gated: gated + 1, state };
}

function settle(call: Call, outcome: ToolOutcome, via: SettledVia): Call {
  return { ...call, state: { status: 'settled', outcome, via } };
}

function refusal(code: 'rejected' | 'cancelled', reason: string | undefined, by: Actor): ToolOutcome {
  if (actorProblem(by) === undefined && by.type === 'clock')
    return { type: 'error', code, message: `${reason ?? 'nobody answered in time'}; it did not run` };
  // No user said it, and none may be told to have.
  if (actorProblem(by) === undefined && by.type === 'rule') {
    const why = reason === undefined || reason === '' ? `the rule \`${by.rule}\` denies it` : reason;
    return { type: 'error', code, message: `${why}; it did not run` };
  }
  const what =
    code === 'rejected'
      ? 'the user rejected this call; it did not run'
      : 'cancelled by the user; it did not run';
  return {
    type: 'error',
    code,
    message: reason === undefined || reason === '' ? what : `${what}: ${reason}`,
  };
}

function notDone(
  interrupt: Interrupt,
  resolution: Resolution & { action: 'reject' | 'cancel' },
  by: Actor,
): ToolOutcome {
  const reason = resolution.reason === undefined || resolution.reason === '' ? '' : `: ${resolution.reason}`;
  if (interrupt.kind === 'in-doubt') {
    const said = resolution.action === 'reject' ? 'it failed' : 'cancel';
    return {
      type: 'error',
      code: 'aborted',
      message: `outcome unknown after a crash; the user said: ${said}${reason}`,
    };
  }
  if (interrupt.kind === 'error' && resolution.action === 'reject') {
    const { payload } = interrupt;
    const text = isJsonObject(payload) ? payload['message'] : payload;
    const message = typeof text === 'string' ? text : 'the tool failed';
    return { type: 'error', code: 'failed', message: `${message}${reason}` };
  }
  return refusal(resolution.action === 'reject' ? 'rejected' : 'cancelled', resolution.reason, by);
}

/** A question that is bound to no tool showed the input as the request has it: the tool had not read it. */
function shownInput(call: Call, { source, bound }: Interrupt): Pick<Approval, 'input' | 'asTyped'> {
  const input = source.type === 'tool' ? source.input : call.input;
  return { input, ...(bound === undefined && jsonEquals(input, call.input) && { asTyped: true }) };
}

function restarted(
  call: Call,
  { interrupt, secrets = [] }: ResolvedInterrupt,
  resolution: Resolution & { action: 'restart' },
): Call {
  const replaced = resolution.input !== undefined;
  const askedByTool = interrupt.source.type === 'tool' && interrupt.source.raisedBy === 'tool';
  const passedOn = resolution.metadata === undefined ? true : resolution.metadata;
  return {
    ...call,
    ...(replaced && { input: resolution.input, originalInput: call.input }),
    ...(askedByTool && { resumed: passedOn }),
    ...secretsOf(call, interrupt, { secrets, replaced, askedByTool }),
    // A human looked at this input and agreed to run it, whoever had asked.
    approval: {
      ...(replaced
        ? editedPlan(interrupt, resolution.input, resolution.shown)
        : { ...shownInput(call, interrupt), edited: false, shown: interrupt.payload }),
      ...(!replaced && shownRequest(call, interrupt)),
      ...(interrupt.bound !== undefined && { tool: interrupt.bound.tool }),
      ...peopleOf(call, interrupt, replaced),
    },
    state: { status: 'ready' },
  };
}

interface Typed {
  readonly secrets: readonly string[];
  readonly replaced: boolean;
  readonly askedByTool: boolean;
}

/** Secrets of this answer, and those of an earlier one in what it leaves as it is. */
function secretsOf(
  { secrets: before }: Call,
  interrupt: Interrupt,
  { secrets, replaced, askedByTool }: Typed,
): Pick<Call, 'secrets'> {
  if (before === undefined && secrets.length === 0) return {};
  const of = (member: SecretMember): SecretsOf | undefined => {
    const at = placesBehind(member, secrets);
    return at.length === 0 ? undefined : { interrupt: interrupt.id, of: member, at };
  };
  const input = replaced ? of('input') : before?.input;
  const passedOn = of('metadata');
  const resumed = askedByTool ? passedOn && { ...passedOn, question: interrupt } : before?.resumed;
  return { secrets: { ...(input && { input }), ...(resumed && { resumed }) } };
}

function editedPlan(interrupt: Interrupt, input: JsonValue, shown: ShownEdit | undefined): Approval {
  if (shown === undefined) return { input, edited: true, shown: interrupt.payload, asTyped: true };
  const { request } = shown;
  return {
    input: shown.input,
    edited: true,
    shown: request ?? interrupt.payload,
    ...(request !== undefined && { request }),
  };
}

/** Finds what the gate had said: with this question, or with the one before the tool's own. */
function shownRequest(call: Call, { source, payload }: Interrupt): Pick<Approval, 'request'> {
  if (source.type === 'tool' && source.raisedBy === 'approval') return { request: requestIn(payload) };
  return call.approval?.request === undefined ? {} : { request: call.approval.request };
}

/** The people who agreed: what the gate in front of the tool asked of them holds until the input is another one. */
function peopleOf(
  { approval }: Call,
  { source, approvers }: Interrupt,
  replaced: boolean,
): Pick<Approval, 'approvers'> {
  const isGate = source.type === 'tool' && source.raisedBy === 'approval';
  const people = isGate || replaced ? approvers : approval?.approvers;
  return people === undefined ? {} : { approvers: people };
}

/**
 * Applies a decision to an interrupted call. `undefined` where the action does not fit a tool call.
 * `retry` puts the call back as if it had never started: it keeps an earlier approval and grants none.
 */
export function resolveCall(call: Call, resolved: ResolvedInterrupt): Call | undefined {
  const { interrupt, resolution } = resolved;
  const answered: Call = { ...call, resolved };
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- a new action does not fit a call until it is named here
  switch (resolution.action) {
    case 'respond':
      if (interrupt.kept !== undefined)
        return {
          ...answered,
          resumed: { answer: resolution.output, kept: interrupt.kept },
          state: { status: 'ready' },
        };
      return settle(
        answered,
        { type: 'output', output: resolution.output, ...resolution.verbatim },
        'respond',
      );
    case 'restart':
      return restarted(answered, resolved, resolution);
    case 'retry':
      return { ...answered, state: { status: 'ready' } };
    case 'reject':
    case 'cancel':
      return settle(answered, notDone(interrupt, resolution, resolved.by), 'human');
    default:
      return undefined; // the actions of gates, pauses and limits
  }
}

/** An answered interrupt, as the event of its answer tells it. */
export function resolvedBy(
  { resolution, by, resolvedAt, secrets, votes, receipt }: SessionEvent & { type: 'interrupt-resolved' },
  interrupt: Interrupt,
): ResolvedInterrupt {
  return {
    interrupt,
    resolution,
    by,
    resolvedAt,
    ...(secrets !== undefined && { secrets }),
    ...(votes !== undefined && { votes }),
    ...(receipt !== undefined && { receipt }),
  };
}
