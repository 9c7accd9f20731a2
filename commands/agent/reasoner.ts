import type { Model } from '../../src/core/index.js';
import type { GraphSteering } from '../../src/graph/index.js';
import { chosenModel } from './choose-model.js';
import { composeModel } from './model.js';
import type { Config } from '../settings/settings.js';
import type { Io } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import { secretValues } from '../host/index.js';

/** Models that play what was written down cannot be asked what a message means. */
const READER = 'anthropic:';

/** Gives the reader of messages that name no action; `undefined` where nobody reads them, and text is guidance. */
export async function composeReasoner(
  io: Io,
  flags: RunFlags,
  mode: Mode,
  { model, config }: { readonly model: Model; readonly config: Config },
): Promise<GraphSteering['reason']> {
  const { reasoner } = flags;
  if (reasoner === false || (typeof reasoner !== 'string' && !model.id.startsWith(READER))) return undefined;
  const reader =
    typeof reasoner === 'string' ? await readerNamed(io, { ...flags, model: reasoner }, mode, config) : model;
  const { chooseAction } = await import('../../src/reasoner/index.js');
  const secrets = secretValues(io.env);
  return (situation, signal) => chooseAction(situation, { model: reader, secrets }, signal);
}

async function readerNamed(io: Io, flags: RunFlags, mode: Mode, config: Config): Promise<Model> {
  return composeModel(io, mode, config, await chosenModel(io, flags, { config }));
}
