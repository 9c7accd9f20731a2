import type { SessionEvent } from './event.js';
import type { Binding, Effect, Interrupt, ApprovalPolicy, Subject } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import { isJsonObject, jsonEquals } from '../data/json.js';
import type { SettledVia, ToolOutcome } from './outcome.js';
import type { ToolRequestPart, Message } from '../data/message.js';
import type { AgreedPlan } from '../question/plan.js';
import type { Terms } from '../question/terms.js';
import { requestIn } from '../question/plan.js';
import { termsOf, used } from '../question/terms.js';
import type { Actor, Resolution, ShownEdit } from '../data/resolution.js';
import type { SecretMember, SecretsOf } from '../question/vault.js';
import { placesBehind } from '../question/seal.js';
import { actorProblem } from '../data/answer-shape.js';
import type { Vote } from '../question/standing-votes.js';
import { voterOf } from '../question/identity.js';
import type { ToolRef } from '../data/ids.js';
import { toolRef } from '../data/ids.js';
import type { Sequence } from '../data/sequence.js';
import { AppendList } from '../data/sequence.js';

/** The states of a tool call, from request to outcome. */
export type CallState =
  | { readonly status: 'ready' }
  | {
      readonly status: 'started';
      readonly input: JsonValue;
      readonly effect: Effect;
      readonly startedAt: string;
      /** The tool's one-line title for the call. */
      readonly title?: string;
      /** The question that the running tool is waiting for. */
      readonly asking?: Interrupt;
    }
  | { readonly status: 'interrupted'; readonly interrupt: Interrupt }
  | { readonly status: 'settled'; readonly outcome: ToolOutcome; readonly via: SettledVia };

/** An interrupt of a call, with the decision. */
export interface ResolvedInterrupt {
  readonly interrupt: Interrupt;
  readonly resolution: Resolution;
  readonly by: Actor;
  /** Time of the decision, ISO 8601; absent if not recorded. */
  readonly resolvedAt?: string;
  /** Time by which the approved call must start (ISO 8601). If absent, there is no limit. */
  readonly validUntil?: string;
  /** JSON pointers to the masked secrets in the resolution. */
  readonly secrets?: readonly string[];
  /** The deciding votes, if the question needed several. */
  readonly votes?: readonly Vote[];
  /** Receipt of the submitted answer. */
  readonly receipt?: string;
  /** Set for an edit that others must approve. */
  readonly proposal?: true;
}

/** Secrets that people typed for a call. They are masked in its values. */
export interface CallSecrets {
  /** Secrets in the edited input. */
  readonly input?: SecretsOf;
  /** Secrets in the value that an approval passes to the tool, with the question that was answered. */
  readonly resumed?: SecretsOf & { readonly question: Interrupt };
}

/** A person's approval of one exact plan for a call (G11). */
export interface Approval extends AgreedPlan {
  readonly edited: boolean;
  /** Payload of the answered interrupt. After an edit, it contains the details of the edited input. */
  readonly shown: JsonValue;
  /** Set once the call has started with this approval and created the rules that it requested. */
  readonly granted?: true;
}

/** A replacement input that a person proposed for a call. */
export interface Proposal {
  readonly by: Subject;
  /** The approvers. Someone else among them must approve the new input. */
  readonly approvers: ApprovalPolicy;
  /** The previous input. */
  readonly was: JsonValue;
}

/** A tool call in a model message, from request to outcome. */
export interface Call {
  /** The request as the model wrote it. Edits do not change it. */
  readonly request: ToolRequestPart;
  /** The input that the tool runs with: the requested one or an edited one. */
  readonly input: JsonValue;
  /** Input before the latest edit; absent if there was none. */
  readonly originalInput?: JsonValue;
  /** The value that an approval passes to the tool. If present, the tool runs again from the start. */
  readonly resumed?: JsonValue;
  /** Secrets in `input` and `resumed`; absent if there are none. */
  readonly secrets?: CallSecrets;
  /** The approved run. */
  readonly approval?: Approval;
  /** Notes that approvers wrote for the model. They are sent once, after the results. */
  readonly notes?: readonly string[];
  /** An edit that others must approve. `input` is the proposed input. */
  readonly proposal?: Proposal;
  /** The code of a call that was retried without approval. */
  readonly retried?: Pick<Terms, 'code'>;
  /** Number of times the approval check asked. */
  readonly gated?: number;
  /** Number of starts. */
  readonly attempts: number;
  readonly state: CallState;
  /** The most recently answered interrupt. */
  readonly resolved?: ResolvedInterrupt;
}

/** Creates a call from the model's request. */
export function newCall(request: ToolRequestPart): Call {
  return { request, input: request.input, attempts: 0, state: { status: 'ready' } };
}

/** Marks a call as waiting for an answer. If the approval check asks again, the earlier approval is void. */
export function asked(call: Call, interrupt: Interrupt): Call {
  const state = { status: 'interrupted', interrupt } as const;
  if (interrupt.source.type !== 'tool' || interrupt.source.raisedBy !== 'approval') return { ...call, state };
  const { approval: _approval, retried: _retried, resumed: _resumed, gated = 0, ...rest } = call;
  return { ...rest, gated: gated + 1, state };
}

/**
 * Marks a running call as waiting for an answer to its tool's question; `undefined` if it is not running. A
 * new question withdraws one that is still unanswered.
 */
export function askedAtOnce(call: Call, interrupt: Interrupt): Call | undefined {
  const { state } = call;
  return state.status === 'started' ? { ...call, state: { ...state, asking: interrupt } } : undefined;
}

/** Marks a running call as no longer waiting, because its tool's question was answered. */
export function answeredAtOnce(call: Call): Call {
  if (call.state.status !== 'started') return call;
  const { asking: _answered, ...state } = call.state;
  return { ...call, state };
}

function settle(call: Call, outcome: ToolOutcome, via: SettledVia): Call {
  return { ...call, state: { status: 'settled', outcome, via } };
}

function refusal(code: 'rejected' | 'cancelled', reason: string | undefined, by: Actor): ToolOutcome {
  if (actorProblem(by) === undefined && by.type === 'clock')
    return { type: 'error', code, message: `${reason ?? 'no answer in time'}; it did not run` };
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
  if (
    interrupt.kind === 'question' &&
    resolution.action === 'cancel' &&
    reason !== '' &&
    by.type === 'person'
  )
    return { type: 'error', code: 'cancelled', message: `the user declined to answer, and said${reason}` };
  return refusal(resolution.action === 'reject' ? 'rejected' : 'cancelled', resolution.reason, by);
}

/**
 * Returns the input that a question showed. If the question is not bound to a tool, it showed the input as
 * requested, because the tool had not read it yet.
 */
function shownInput(call: Call, { source, bound }: Interrupt): Pick<Approval, 'input' | 'asTyped'> {
  const input = source.type === 'tool' ? source.input : call.input;
  return { input, ...(bound === undefined && jsonEquals(input, call.input) && { asTyped: true }) };
}

function restarted(
  call: Call,
  resolved: ResolvedInterrupt,
  resolution: Resolution & { action: 'restart' },
): Call {
  const { interrupt, secrets = [] } = resolved;
  const replaced = resolution.input !== undefined;
  const askedByTool = interrupt.source.type === 'tool' && interrupt.source.raisedBy === 'tool';
  const passedOn = resolution.metadata === undefined ? true : resolution.metadata;
  return {
    ...call,
    ...(replaced && { input: resolution.input, originalInput: call.input }),
    ...(askedByTool && { resumed: passedOn }),
    ...(resolution.note !== undefined && { notes: [...(call.notes ?? []), resolution.note] }),
    ...secretsOf(call, interrupt, { secrets, replaced, askedByTool }),
    // A human looked at this input and agreed to run it, whoever had asked.
    approval: {
      ...(replaced
        ? editedPlan(interrupt, resolution.input, resolution.shown)
        : { ...shownInput(call, interrupt), edited: false, shown: interrupt.payload }),
      ...(!replaced && shownRequest(call, interrupt)),
      ...(interrupt.bound !== undefined && { tool: interrupt.bound.tool }),
      ...peopleOf(call, interrupt, replaced),
      ...termsOf(resolved),
    },
    state: { status: 'ready' },
  };
}

/**
 * Returns a call whose edited input is not approved yet, so that the approval check asks the other approvers;
 * `undefined` if the answer is not such an edit.
 */
function proposedCall(
  call: Call,
  { interrupt, by }: ResolvedInterrupt,
  { input }: Resolution & { action: 'restart' },
): Call | undefined {
  if (by.type !== 'person' || interrupt.approvers === undefined || input === undefined) return undefined;
  const { approval: _approval, resumed: _resumed, ...rest } = call;
  const proposal = { by: voterOf(by), approvers: interrupt.approvers, was: call.input };
  return { ...rest, input, originalInput: call.input, proposal, state: { status: 'ready' } };
}

interface Typed {
  readonly secrets: readonly string[];
  readonly replaced: boolean;
  readonly askedByTool: boolean;
}

/** Returns the secrets in this answer, along with earlier secrets in the parts that did not change. */
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

/**
 * Returns the request that the approval check made: from this question, or from the earlier approval if the
 * tool itself asked.
 */
function shownRequest(call: Call, { source, payload }: Interrupt): Pick<Approval, 'request'> {
  if (source.type === 'tool' && source.raisedBy === 'approval') return { request: requestIn(payload) };
  return call.approval?.request === undefined ? {} : { request: call.approval.request };
}

/** Returns the approvers required by the approval check, unless the input has changed since. */
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
 * Applies a decision to an interrupted call; `undefined` if the action does not apply to tool calls. `retry`
 * resets the call: it keeps an earlier approval but does not grant one.
 */
export function resolveCall(call: Call, resolved: ResolvedInterrupt): Call | undefined {
  const { interrupt, resolution } = resolved;
  const answered: Call = { ...call, resolved };
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a new action does not fit a call until it is named here
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
      return resolved.proposal === true
        ? proposedCall(answered, resolved, resolution)
        : restarted(answered, resolved, resolution);
    case 'retry':
      return {
        ...answered,
        ...(interrupt.bound !== undefined && { retried: retriedAs(interrupt.bound) }),
        state: { status: 'ready' },
      };
    case 'reject':
    case 'cancel': {
      const { notes: _unsaid, ...rest } = answered; // they went with a yes
      return settle(rest, notDone(interrupt, resolution, resolved.by), 'human');
    }
    default:
      return undefined; // the actions of gates, pauses and limits
  }
}

/** Marks a call as started. An approval that can expire is marked as used in time. */
export function startedCall(call: Call, attempt: number, state: CallState & { status: 'started' }): Call {
  const { approval } = call;
  return {
    ...call,
    ...(approval?.age !== undefined && { approval: used(approval) }),
    attempts: attempt,
    state,
  };
}

function retriedAs({ code }: Binding): Pick<Terms, 'code'> {
  return code === undefined ? {} : { code };
}

/**
 * Returns the code that a person approved; `undefined` if none was approved or the question did not identify
 * it.
 */
export function codeAgreed({ approval, retried }: Call): { readonly code: string | undefined } | undefined {
  if (approval !== undefined) return approval.tool === undefined ? undefined : { code: approval.code };
  return retried && { code: retried.code };
}

/** Restores an answered interrupt from its event. */
export function resolvedBy(
  {
    resolution,
    by,
    resolvedAt,
    validUntil,
    secrets,
    votes,
    receipt,
    proposal,
  }: SessionEvent & { type: 'interrupt-resolved' },
  interrupt: Interrupt,
): ResolvedInterrupt {
  return {
    interrupt,
    resolution,
    by,
    resolvedAt,
    ...(validUntil !== undefined && { validUntil }),
    ...(secrets !== undefined && { secrets }),
    ...(votes !== undefined && { votes }),
    ...(receipt !== undefined && { receipt }),
    ...(proposal === true && { proposal }),
  };
}

/** Identifies one execution of a tool. */
interface CallName {
  readonly ref: ToolRef;
  readonly idempotencyKey: string;
  /** Counts from 1. */
  readonly attempt: number;
}

/** Context of a call, for the approval check and the tool. */
export interface CallScene {
  readonly ref: ToolRef;
  /** Id of the session; for `generate`, `runId`. */
  readonly sessionId: string;
  /**
   * Messages that the model received before this call. The list grows during the run, so copy it if you keep
   * it.
   */
  readonly messages: Sequence<Message>;
  /**
   * The `context` passed by the run's caller, such as a user or a tenant. It is not stored and not part of
   * any digest.
   */
  readonly context: unknown;
}

/**
 * Context for checking whether a tool asks for approval when there is no actual call. The result does not
 * depend on the position of the call.
 */
export const NO_SCENE: CallScene = {
  ref: toolRef('no-session'),
  sessionId: '',
  messages: AppendList.of(),
  context: undefined,
};

/**
 * The part of a tool's context that wrappers pass on unchanged. `signal` is created on first use, because
 * most tools do not use it and signals are expensive. It is still an own property, so that copies of the
 * context include it.
 */
export class CallBase implements CallName, CallScene {
  readonly ref: ToolRef;
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly sessionId: string;
  readonly messages: Sequence<Message>;
  readonly context: unknown;
  declare readonly signal: AbortSignal;
  readonly #source: { readonly signal: AbortSignal };

  constructor(scene: Omit<CallScene, 'ref'>, name: CallName, source: { readonly signal: AbortSignal }) {
    this.sessionId = scene.sessionId;
    this.messages = scene.messages;
    this.context = scene.context;
    this.ref = name.ref;
    this.idempotencyKey = name.idempotencyKey;
    this.attempt = name.attempt;
    this.#source = source;
    Object.defineProperty(this, 'signal', CallBase.#SIGNAL);
  }

  /** Shared by all instances, because an accessor of its own would give each object its own hidden class. */
  static readonly #SIGNAL = {
    enumerable: true,
    get(this: CallBase): AbortSignal {
      return this.#source.signal;
    },
  };
}
