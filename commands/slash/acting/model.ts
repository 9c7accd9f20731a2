import { escapeText, HitlError, isHitlError, shown } from '../../../src/core/index.js';
import { keep } from '../../../src/repl/index.js';
import {
  checkCostLimit,
  checkEffort,
  chosenModel,
  composeModel,
  modelWords,
  nameOf,
  serverName,
} from '../../agent/index.js';
import { effectiveFlags } from '../../config/index.js';
import type { SlashContext, SlashHandler } from '../context.js';

/** `/model`: the model that answers; with a name, another one from the next request on. */
export const model: SlashHandler = async (spec, context, print) => {
  if (spec === '') {
    const { agent } = context.session.state;
    print(agent === undefined ? shown`unknown` : escapeText(modelWords({ ...agent, spec: agent.model })));
    print(shown`another one from now on: /model <other>`);
    return;
  }
  try {
    await change(spec, context);
  } catch (thrown) {
    if (!isHitlError(thrown) || !context.mode.interactive) throw thrown;
    print(escapeText(thrown.hint === undefined ? thrown.message : `${thrown.message}; ${thrown.hint}`));
  }
};

/** A server that was named for the session stays, for whichever of its models. */
async function change(
  spec: string,
  { io, flags, mode, session, model: changing, renderer }: SlashContext,
): Promise<void> {
  const { agent } = session.state;
  if (agent === undefined) throw new HitlError('USAGE', 'this session has no model yet');
  const { config } = await effectiveFlags(io, flags);
  const baseUrl = flags.baseUrl ?? agent.server;
  const wanted = { ...flags, model: spec, ...(baseUrl !== undefined && { baseUrl }) };
  const chosen = await chosenModel(io, wanted, { config });
  const made = await composeModel(io, mode, config, chosen);
  checkCostLimit(made, flags);
  checkEffort(made, flags);
  const server = serverName(nameOf(chosen).server);
  const { server: _former, ...rest } = agent;
  const changed = { ...rest, model: chosen.spec, ...(server !== undefined && { server }) };
  changing.change(made);
  await keep([{ type: 'agent-changed', agent: changed }], session, renderer);
}
