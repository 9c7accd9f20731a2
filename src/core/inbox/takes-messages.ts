import { HitlError } from '../errors.js';
import type { RunState } from '../state.js';

/** @throws HitlError BAD_INPUT for a workflow that is done: nothing takes what is sent to it. A chat goes on with it. */
export function checkTakesMessages(id: string, { graph, ended }: Pick<RunState, 'graph' | 'ended'>): void {
  if (graph === undefined || ended?.type !== 'done') return;
  throw new HitlError('BAD_INPUT', `workflow ${id} is done, and takes no messages`, {
    hint: 'start it again, or go back to where the message counts: rewind, fork',
  });
}
