import { setImmediate } from 'node:timers/promises';

import type { Session, SessionEvent, SessionMode } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import { modeChanged } from './mode-for.js';
import type { RulesInForce } from './rules-in-force.js';

interface ModePlace {
  readonly rules: RulesInForce;
  readonly session: Session;
  readonly keep: (events: readonly SessionEvent[]) => Promise<unknown>;
}

/**
 * Changes the mode of a session. The new mode takes effect once it is saved. @throws HitlError USAGE if the
 * session does not have a model yet
 */
export async function changeMode(mode: SessionMode, { rules, session, keep }: ModePlace): Promise<void> {
  await setImmediate(); // a call that was found to start by a reviewer’s yes is recorded as started before
  const { agent } = session.state;
  if (agent === undefined) throw new HitlError('USAGE', 'this session has no model yet');
  await keep([modeChanged(agent, mode)]);
  rules.change(mode);
}

/** @throws HitlError USAGE if a mode is not available in this session */
export async function checkMode(mode: SessionMode, rules: RulesInForce): Promise<void> {
  const why = await rules.whyNot(mode);
  if (why !== undefined) throw new HitlError('USAGE', why);
}
