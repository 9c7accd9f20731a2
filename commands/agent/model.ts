import type { CreatedModel, CreateModelOptions } from '../../src/models/index.js';
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

/** Milliseconds a word of the demo model takes on a terminal. */
const DEMO_WORD_MS = 15;

/** Makes the model that was chosen, with the key that the command of the configuration prints where one is needed. */
export async function composeModel(
  io: Io,
  mode: Mode,
  config: Config,
  chosen: ChosenModel,
): Promise<CreatedModel> {
  const { clock, random } = io;
  const options = { clock, random, ...accessTo(chosen, await withKey(io, config, chosen), config) };
  return modelNamed(chosen.spec, options, {
    wordMs: mode.interactive ? DEMO_WORD_MS : 0,
    introduces: io.env[IN_TOUR] === undefined, // the tour says it once
  });
}

/** Makes the model that a spec names: the demo model or that of another program, which are parts of this one, or one of the library. */
export async function modelNamed(
  spec: string,
  options: CreateModelOptions,
  demo: Pick<DemoModelOptions, 'wordMs' | 'introduces'> = {},
): Promise<CreatedModel> {
  if (spec === CLIENT_MODEL) return clientModel();
  if (parseModelSpec(spec, options).type !== 'demo') return createModel(spec, options);
  return createDemoModel({ ...demo, clock: options.clock });
}
