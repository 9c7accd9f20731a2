import { knownEffect } from '../data/interrupt.js';
import type { JsonObject } from '../data/json.js';
import { membersOf } from '../data/json.js';
import type { Activation } from './state.js';
import type { OperationRecord, OperationEvent, StepEvent } from './operation.js';
import { isOperationGate, operationOf, isOver } from './operation.js';
import { failedAtGate, openGates } from './operation-gate.js';

/** Returns the activation after an operation's event. @throws what `illegal` throws for an invalid event. */
export function evolveOperation(
  current: Activation,
  event: OperationEvent | StepEvent,
  illegal: (why: string) => never,
): Activation {
  const { key } = event;
  const before = current.operations.get(key);
  switch (event.type) {
    case 'step-started':
      return withRecord(current, key, { status: 'started', effect: knownEffect(event.effect) });
    case 'step-settled': {
      const { effect = 'once' } = before ?? {};
      return withRecord(current, key, { status: 'settled', effect, output: event.output });
    }
    case 'op-started': {
      if (before !== undefined && isOver(before)) return illegal(`operation \`${key}\` is ${before.status}`);
      const { kind, digest, effect, title, startedAt } = event;
      const failures = before?.status === 'started' ? before.failures : undefined;
      return withRecord(current, key, {
        status: 'started',
        effect: knownEffect(effect),
        kind,
        digest,
        ...(title !== undefined && { title }),
        ...(startedAt !== undefined && { startedAt }),
        ...(failures !== undefined && { failures }),
      });
    }
    case 'op-settled': {
      const { status: _status, failures: _failures, at: _at, ...begun } = started(key, before, illegal);
      if (begun.kind === 'checkpoint') return startingFrom(current, event, illegal);
      return withRecord(withoutQuestion(current, key), key, {
        ...begun,
        status: 'settled',
        output: event.output,
      });
    }
    case 'op-failed': {
      if (before === undefined && openGates(current).includes(key))
        return failedAtGate(current, key, event.error);
      const { failures = 0, at: _at, ...begun } = started(key, before, illegal);
      const { error, again } = event;
      if (again !== undefined)
        return withRecord(current, key, { ...begun, failures: failures + 1, at: again });
      const failed = { ...begun, status: 'failed', error, begun: current.operations.size } as const;
      return withRecord(withdrawnInside(withoutQuestion(current, key), key), key, failed);
    }
  }
}

/** Replaces everything before a checkpoint with the checkpoint. */
function startingFrom(
  current: Activation,
  { key, output }: OperationEvent & { readonly type: 'op-settled' },
  illegal: (why: string) => never,
): Activation {
  const open = openOperations(current).find((name) => name !== key);
  if (open !== undefined) return illegal(`operation \`${open}\` is still open at the checkpoint`);
  const entries = current.operations.entries();
  const own = entries.flatMap(([name]) => (name.includes('/') ? [] : [name.split('#')]));
  const counts = Object.fromEntries(own.map(([name = '', count]) => [name, Number(count)]));
  return {
    ...current,
    operations: current.operations.without(entries.map(([name]) => name)),
    frames: current.frames.without(current.frames.entries().map(([name]) => name)),
    asks: [],
    checkpoint: {
      state: output,
      values: operationState(current),
      counts: { ...current.checkpoint?.counts, ...counts },
    },
  };
}

function started(
  key: string,
  record: OperationRecord | undefined,
  illegal: (why: string) => never,
): OperationRecord & { readonly status: 'started' } {
  if (record?.status === 'started') return record;
  return illegal(`operation \`${key}\` has not started or has already ended`);
}

/**
 * Returns the keys of unfinished operations. An operation is treated as finished once its question has been
 * answered.
 */
export function openOperations(current: Activation): readonly string[] {
  const { operations, asks } = current;
  const over = asks.filter(({ answer, interrupt }) => answer !== undefined && !isOperationGate(interrupt));
  const answered = new Set(over.map(({ interrupt }) => operationOf(interrupt)));
  const open = operations.entries().flatMap(([key, one]) => (isOver(one) || answered.has(key) ? [] : [key]));
  return [...open, ...openGates(current)];
}

/** Returns the state that workflow code has built, by applying its state operations in order. */
export function operationState({ checkpoint, operations }: Activation): JsonObject {
  return operations
    .entries()
    .reduce<JsonObject>(
      (state, [, one]) =>
        one.kind === 'state' && one.status === 'settled' ? { ...state, ...membersOf(one.output) } : state,
      checkpoint?.values ?? {},
    );
}

/** Removes the open question of a finished operation. */
function withoutQuestion(current: Activation, key: string): Activation {
  const isOpen = ({ interrupt, answer }: Activation['asks'][number]): boolean =>
    answer === undefined && operationOf(interrupt) === key;
  if (!current.asks.some(isOpen)) return current;
  return { ...current, asks: current.asks.filter((ask) => !isOpen(ask)) };
}

/**
 * Removes an operation and everything started after it, so that the code repeats them. Their effects outside
 * the workflow remain.
 */
export function cutFrom(current: Activation, key: string): Activation {
  const keys = current.operations.entries().map(([name]) => name);
  const index = keys.indexOf(key);
  return index === -1 ? current : without(current, keys.slice(index));
}

/** Returns the activation without the given operations. */
export function without(current: Activation, keys: readonly string[]): Activation {
  const gone = new Set<string | undefined>(keys);
  const frames = new Set(keys.map(frameOf));
  const { withdrawn, ...rest } = current;
  const still = withdrawn?.filter((name) => !frames.has(name)) ?? [];
  return {
    ...rest,
    ...(still.length > 0 && { withdrawn: still }),
    operations: current.operations.without(keys),
    frames: current.frames.without([...frames]),
    asks: current.asks.filter(({ interrupt }) => !gone.has(operationOf(interrupt))),
  };
}

/** Formats the name of the frame for an operation, as used in frames and paths: `left:notes#1`. */
export function frameOf(key: string): string {
  return key.replaceAll('/', ':');
}

/**
 * Prepares an activation for another attempt by removing the last failures and answers, which would lead to
 * the same result. Results of timers and external events are kept.
 */
export function withoutLastEnds(current: Activation): Activation {
  const { size } = current.operations;
  const failed = current.operations
    .entries()
    .flatMap(([key, record]) => (record.status === 'failed' && record.begun === size ? [key] : []));
  const answered = current.asks.flatMap(({ interrupt, begun }) => {
    const key = operationOf(interrupt);
    return begun !== size || key === undefined || isWait(current, key) ? [] : [key];
  });
  return failed.length + answered.length === 0 ? current : without(current, [...failed, ...answered]);
}

function isWait({ operations }: Activation, key: string): boolean {
  const kind = operations.get(key)?.kind;
  return kind === 'timer' || kind === 'event';
}

/** Withdraws the questions that were asked inside a failed operation. */
function withdrawnInside(current: Activation, key: string): Activation {
  const { frames, withdrawn = [] } = current;
  const name = frameOf(key);
  return frames.get(name) === undefined ? current : { ...current, withdrawn: [...withdrawn, name] };
}

function withRecord(current: Activation, key: string, record: OperationRecord): Activation {
  return { ...current, operations: current.operations.set(key, record) };
}
