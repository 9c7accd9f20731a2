import type {
  Actor,
  Effect,
  Interrupt,
  InterruptDraft,
  InterruptKind,
  JsonValue,
  Part,
  Resolution,
  RunState,
  SessionEvent,
  ToolOutcome,
  ToolSource,
  Usage,
} from '../../src/core/index.js';
import { fold, interruptId, makeInterrupt, ROOT_PATH, textPart, toolRef } from '../../src/core/index.js';

/** A moment that means nothing. */
export const AT = '2026-01-01T00:00:00.000Z';
export const ANN: Actor & { readonly type: 'person' } = { type: 'person', name: 'ann', via: 'terminal' };
/** Ann, whose user ID of this machine proves it. */
export const PROVED_ANN: Actor = { ...ANN, id: { issuer: 'local:box', subject: 'ann' } };

export function userSaid(text: string): SessionEvent {
  return { type: 'message-added', message: { role: 'user', content: [textPart(text)] } };
}

/** A tool request of a model message. */
export function requestPart(name: string, ref: string, input: JsonValue = {}): Part {
  return { type: 'tool-request', ref: toolRef(ref), name, input };
}

export function modelSaid(content: readonly Part[], usage?: Usage): SessionEvent {
  const end = content.some(({ type }) => type === 'tool-request') ? 'tool-use' : 'stop';
  return {
    type: 'message-added',
    message: { role: 'model', content },
    end,
    ...(usage !== undefined && { usage }),
  };
}

export interface StartedOptions {
  readonly attempt?: number;
  readonly input?: JsonValue;
  readonly effect?: Effect;
}

export function toolStarted(name: string, ref: string, options: StartedOptions = {}): SessionEvent {
  const { attempt = 1, input = {}, effect = 'once' } = options;
  const idempotencyKey = `run:${ref}`;
  return {
    type: 'tool-started',
    ref: toolRef(ref),
    name,
    attempt,
    input,
    effect,
    idempotencyKey,
    startedAt: AT,
  };
}

export function toolSettled(ref: string, outcome: ToolOutcome | JsonValue): SessionEvent {
  const isOutcome = typeof outcome === 'object' && outcome !== null && 'type' in outcome;
  return {
    type: 'tool-settled',
    ref: toolRef(ref),
    outcome: isOutcome ? (outcome as ToolOutcome) : { type: 'output', output: outcome },
  };
}

export interface AskedOptions {
  readonly id?: string;
  readonly kind?: InterruptKind;
  readonly input?: JsonValue;
  readonly payload?: JsonValue;
  readonly raisedBy?: ToolSource['raisedBy'];
  readonly draft?: Partial<InterruptDraft>;
}

/** An interrupt of a call. */
export function interruptOf(name: string, ref: string, options: AskedOptions = {}): Interrupt {
  const { id = 'i1', kind = 'confirmation', input = {}, payload = true, raisedBy = 'tool', draft } = options;
  return makeInterrupt(
    { kind, payload, source: { type: 'tool', ref: toolRef(ref), name, input, raisedBy }, ...draft },
    { id: interruptId(id), path: ROOT_PATH, raisedAt: AT },
  );
}

/** An interrupt of the run itself. */
export function limitReached(limit: string, id = 'i1'): Interrupt {
  return makeInterrupt(
    { kind: 'limit', source: { type: 'run' }, payload: { limit, max: 1, spent: 1 } },
    { id: interruptId(id), path: ROOT_PATH, raisedAt: AT },
  );
}

export function raised(interrupt: Interrupt): SessionEvent {
  return { type: 'interrupt-raised', interrupt };
}

export function resolved({ id, digest }: Interrupt, resolution: Resolution): SessionEvent {
  return { type: 'interrupt-resolved', id, digest, resolution, by: ANN, resolvedAt: AT };
}

export function ended(
  reason: Extract<SessionEvent, { type: 'run-ended' }>['reason'] = { type: 'done' },
): SessionEvent {
  return { type: 'run-ended', reason };
}

/** The state after these events. */
export function stateAfter(...events: readonly SessionEvent[]): RunState {
  return fold(events);
}
