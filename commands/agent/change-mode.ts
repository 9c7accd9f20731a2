import type { Renderer, Session, SessionMode } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import { keep } from '../../src/repl/index.js';
import { modeChanged } from './mode-for.js';
import type { RulesInForce } from './rules-in-force.js';

interface ModePlace {
  readonly rules: RulesInForce;
  readonly session: Session;
  readonly renderer: Renderer;
}

/** Changes the mode of a session; it counts once it is kept. @throws HitlError USAGE if it is not possible here. */
export async function changeMode(mode: SessionMode, { rules, session, renderer }: ModePlace): Promise<void> {
  const why = await rules.whyNot(mode);
  if (why !== undefined) throw new HitlError('USAGE', why);
  const { agent } = session.state;
  if (agent === undefined) throw new HitlError('USAGE', 'this session has no model yet');
  await keep([modeChanged(agent, mode)], session, renderer);
  rules.change(mode);
}
