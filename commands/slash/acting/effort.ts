import type { Effort } from '../../../src/core/index.js';
import { escapeText, shown } from '../../../src/core/index.js';
import { keep } from '../../../src/repl/index.js';
import type { SlashHandler } from '../context.js';

const LEVELS: readonly Effort[] = ['low', 'medium', 'high', 'max'];

/** `/effort`: the work that the model puts into a reply; with a level, another one from the next request on. */
export const effort: SlashHandler = async (wanted, { session, model, renderer }, print) => {
  const { agent } = session.state;
  const level = LEVELS.find((one) => one === wanted);
  if (level === undefined || agent === undefined) {
    if (wanted !== '') print(shown`there is no effort \`${escapeText(wanted)}\``);
    else
      print(agent?.effort === undefined ? shown`as much as the model finds right` : escapeText(agent.effort));
    print(escapeText(`another one from now on: /effort ${LEVELS.join(' | ')}`));
    return;
  }
  model.choose({ effort: level });
  await keep([{ type: 'agent-changed', agent: { ...agent, effort: level } }], session, renderer);
};
