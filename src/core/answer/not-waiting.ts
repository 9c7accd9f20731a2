import type { ResolvedInterrupt } from '../call/index.js';
import { HitlError } from '../errors.js';
import type { InterruptId } from '../ids.js';
import type { RunState } from '../state.js';
import { openInterrupts } from '../state.js';
import { actorName, isActor } from '../actor-name.js';
import { passedOn } from './passed-on.js';

/** Says who answered, when, and how. */
export function answeredBy({ by, resolution, resolvedAt }: ResolvedInterrupt): string {
  const who = isActor(by) && by.type === 'rule' ? `the rule ${by.rule}` : actorName(by);
  return `already answered by ${who}${resolvedAt === undefined ? '' : ` at ${resolvedAt}`}: ${resolution.action}`;
}

/** The error for an answer to something that waits for none: ALREADY_ANSWERED, or INTERRUPT_NOT_FOUND. */
export function notWaiting(state: RunState, id: InterruptId): HitlError {
  const resolved = state.resolved.findLast(({ interrupt }) => interrupt.id === id);
  if (resolved !== undefined)
    return new HitlError('ALREADY_ANSWERED', `interrupt ${id} was ${answeredBy(resolved)}`);
  const passed = passedOn(state, id);
  if (passed !== undefined) return new HitlError('ALREADY_ANSWERED', passed);
  const ids = openInterrupts(state)
    .map((candidate) => candidate.id)
    .join(', ');
  return new HitlError('INTERRUPT_NOT_FOUND', `no interrupt \`${id}\` waits for an answer`, {
    hint: ids === '' ? 'none is open in this session' : `open: ${ids}`,
  });
}
