import type { RunState } from '../state.js';
import { isJsonObject } from '../json/index.js';

/**
 * True where a command that this session ran may answer its questions: it was agreed to without a sandbox, so it sees
 * what the program keeps, and what it left running does too.
 */
export function mayAnswerItself({ resolved }: Pick<RunState, 'resolved'>): boolean {
  return resolved.toArray().some(({ interrupt: { payload }, resolution }) => {
    const facts = isJsonObject(payload) ? payload['facts'] : undefined;
    const sandbox = facts !== undefined && isJsonObject(facts) ? facts['sandbox'] : undefined;
    return resolution.action === 'restart' && (sandbox === 'none' || sandbox === 'off');
  });
}
