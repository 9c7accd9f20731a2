import { present } from '../../src/core/index.js';
import type { CreatedModel, CreateModelOptions } from '../../src/models/index.js';
import type { AgentPlace } from '../../src/models/acp/index.js';
import { createModel, parseModelSpec } from '../../src/models/index.js';
import { CLIENT_MODEL } from '../asking/standing.js';
import { clientModel } from '../asking/client-model.js';
import type { ChosenModel } from './choose-model.js';
import { accessTo } from './choose-model.js';
import { withKey } from './key-command.js';
import type { Config } from '../settings/settings.js';
import type { DemoModelOptions } from '../demo-agent/demo-model.js';
import type { Io } from '../host/index.js';
import { IN_TOUR } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import { createDemoModel } from '../demo-agent/demo-model.js';

/** How long the demo model takes per word in a terminal, in milliseconds. */
const DEMO_WORD_MS = 15;

/**
 * Creates the chosen model. If needed, the key comes from the configured command. Without `agents`, the model
 * must not be an agent.
 */
export async function composeModel(
  io: Io,
  mode: Mode,
  config: Config,
  { agents, ...chosen }: ChosenModel & { readonly agents?: AgentPlace },
): Promise<CreatedModel> {
  const { clock, random } = io;
  const access = accessTo(chosen, await withKey(io, config, chosen), config);
  const options = { clock, random, ...access, ...present({ agents }) };
  return modelNamed(chosen.spec, options, {
    wordMs: mode.interactive ? DEMO_WORD_MS : 0,
    introduces: io.env[IN_TOUR] === undefined, // the tour says it once
  });
}

/**
 * Creates a model from its spec: the demo model, a model that another program provides, or one from the
 * library.
 */
export async function modelNamed(
  spec: string,
  options: CreateModelOptions,
  demo: Pick<DemoModelOptions, 'wordMs' | 'introduces'> = {},
): Promise<CreatedModel> {
  if (spec === CLIENT_MODEL) return clientModel();
  if (parseModelSpec(spec, options).type !== 'demo') return createModel(spec, options);
  return createDemoModel({ ...demo, clock: options.clock });
}
