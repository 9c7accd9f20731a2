import type { CreatedModel } from '../../src/models/index.js';
import { createModel } from '../../src/models/index.js';
import type { ChosenModel } from './choose-model.js';
import { accessTo } from './choose-model.js';
import type { Config } from '../config/index.js';
import type { Io } from '../host/index.js';
import type { Mode } from '../flags/index.js';

/** Milliseconds a word of the demo model takes on a terminal. */
const DEMO_WORD_MS = 15;

/** Makes the model that was chosen. */
export async function composeModel(
  io: Io,
  mode: Mode,
  config: Config,
  chosen: ChosenModel,
): Promise<CreatedModel> {
  const { clock, random } = io;
  return createModel(chosen.spec, {
    clock,
    random,
    ...accessTo(chosen, io, config),
    ...(mode.interactive && { wordMs: DEMO_WORD_MS }),
  });
}
