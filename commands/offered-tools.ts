import { resolve } from 'node:path';
import type { ToolSet } from '../src/core/index.js';
import { composeModel } from './compose-model.js';
import { composeTools } from './compose-tools.js';
import type { Config } from './config-file.js';
import type { Io } from './io.js';
import type { Mode } from './mode.js';
import type { RunFlags } from './options.js';

/** The tools that a chat with these flags would offer; loads the modules that they name. */
export async function offeredTools(io: Io, flags: RunFlags, mode: Mode, config: Config): Promise<ToolSet> {
  const { spec } = await composeModel(io, flags, mode, { config });
  const modules = (flags.tools ?? []).map((module) => resolve(io.cwd, module));
  return composeTools(io, flags, { demo: spec === 'demo', modules });
}
