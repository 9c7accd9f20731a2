import { resolve } from 'node:path';
import type { Model, ToolSet } from '../../src/core/index.js';
import { chosenModel, isDemo } from './choose-model.js';
import { composeModel } from './model.js';
import { composeTools } from './tools.js';
import type { Config } from '../config/index.js';
import type { Io } from '../host/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import { startServers, tellNotices } from '../mcp/index.js';
import type { RulesInForce } from './rules-in-force.js';

/** Tools that are looked at; whoever looked lets go of what stands behind them. */
export interface OfferedTools extends AsyncDisposable {
  readonly set: ToolSet;
  readonly model: Model;
}

/** The tools that a chat with these flags would offer; loads the modules and starts the servers that they name. */
export async function offeredTools(
  io: Io,
  flags: RunFlags,
  mode: Mode,
  { config, rules }: { readonly config: Config; readonly rules: RulesInForce },
): Promise<OfferedTools> {
  const chosen = await chosenModel(io, flags, { config });
  const model = await composeModel(io, mode, config, chosen); // says what is wrong with it
  const modules = (flags.tools ?? []).map((module) => resolve(io.cwd, module));
  const running = startServers(io, { ...mode, interactive: false }, { named: flags.mcp ?? [], config });
  try {
    tellNotices(io, running);
    await running.settled();
    const demo = isDemo(chosen, config);
    const set = await composeTools(io, flags, { demo, modules, rules, servers: running.servers });
    return { set, model, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
  } catch (thrown) {
    await running[Symbol.asyncDispose]();
    throw thrown;
  }
}
