import { escapeText, HitlError, SESSION_MODES, shown } from '../../../src/core/index.js';
import { keep } from '../../../src/repl/index.js';
import type { SlashHandler } from '../context.js';

/**
 * `/mode`: what the session does without a question; with a name, another mode from the next call on.
 * @throws HitlError BAD_INPUT for a mode that there is not.
 */
export const mode: SlashHandler = async (name, { rules, session, renderer }, print) => {
  if (name === '') {
    print(escapeText(rules.modeInWords));
    print(
      shown`another one from now on: ${escapeText(SESSION_MODES.map((one) => `/mode ${one}`).join(' · '))}`,
    );
    return;
  }
  const wanted = SESSION_MODES.find((one) => one === name);
  if (wanted === undefined)
    throw new HitlError('BAD_INPUT', `there is no mode \`${name}\``, {
      hint: `the modes are: ${SESSION_MODES.join(', ')}`,
    });
  const { agent } = session.state;
  if (agent === undefined) throw new HitlError('USAGE', 'this session has no model yet');
  const { mode: _former, ...rest } = agent;
  await keep(
    [{ type: 'agent-changed', agent: { ...rest, ...(wanted !== 'ask' && { mode: wanted }) } }],
    session,
    renderer,
  );
  rules.change(wanted);
  print(escapeText(rules.modeInWords));
};
