import { resolve } from 'node:path';
import type { ToolSet } from '../../src/core/index.js';
import { chosenModel } from './choose-model.js';
import { withKey } from './key-command.js';
import { composeModel } from './model.js';
import { composeTools } from './tools.js';
import type { Config } from '../config/index.js';
import type { Io } from '../host/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import type { RulesInForce } from './rules-in-force.js';

/** The tools that a chat with these flags would offer; loads the modules that they name. */
export async function offeredTools(
  io: Io,
  flags: RunFlags,
  mode: Mode,
  { config, rules }: { readonly config: Config; readonly rules: RulesInForce },
): Promise<ToolSet> {
  const chosen = await chosenModel(io, flags, { config });
  await composeModel(await withKey(io, config, chosen), mode, config, chosen); // says what is wrong with it
  const modules = (flags.tools ?? []).map((module) => resolve(io.cwd, module));
  return composeTools(io, flags, { demo: chosen.spec === 'demo', modules, rules });
}
