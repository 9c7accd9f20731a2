import { resolve } from 'node:path';
import type { AgentFingerprint, Model, ToolSet } from '../../src/core/index.js';
import { agreedTools } from './agreed-modules.js';
import { chosenModel, isDemo } from './choose-model.js';
import { composeModel } from './model.js';
import { startedHere } from './started.js';
import { composeTools } from './tools.js';
import type { Effective } from '../config/effective.js';
import { effectiveFlags } from '../config/effective.js';
import type { Io } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import { startServers, tellNotices } from '../mcp/start-servers.js';
import type { RulesInForce } from './rules-in-force.js';
import { rulesHere } from './rules-in-force.js';
import { trustedPaths } from '../trust/trust.js';

/** Tools to inspect, without a session. Dispose of this object to stop their servers. */
export interface OfferedTools extends Pick<Effective, 'flags' | 'config'>, AsyncDisposable {
  readonly set: ToolSet;
  readonly model: Model;
  /** The rules that apply to the tools. */
  readonly rules: RulesInForce;
}

/**
 * Returns the tools that a chat with these flags would have. Loads modules and starts servers.
 * @param saved The agent of the session, if there is one.
 */
export async function offeredTools(
  io: Io,
  given: RunFlags,
  mode: Mode,
  saved?: Pick<AgentFingerprint, 'mode'>,
): Promise<OfferedTools> {
  const effective = await effectiveFlags(io, given, mode);
  const { flags, config } = effective;
  const rules = await rulesHere(io, effective, saved);
  const chosen = await chosenModel(io, flags, { config });
  const model = await composeModel(io, mode, config, chosen); // says what is wrong with it
  const modules = (flags.tools ?? []).map((module) => resolve(io.cwd, module));
  const agreed = await agreedTools(io, { ...flags, tools: modules, save: false }, mode, modules);
  const alone = { ...mode, interactive: false };
  const wanted = { flag: flags.mcp, config, allowHttp: flags.allowHttp };
  const running = await startServers(io, flags, alone, wanted);
  try {
    tellNotices(io, running);
    const say = (line: string): void => {
      running.notices.say(line);
    };
    await running.settled();
    const starts = startedHere(io, {
      ...{ modules, agreed, notify: flags.notify, apiKeyCommand: config.apiKeyCommand },
      servers: running.servers.connections.map(({ server }) => server),
      trusted: await trustedPaths(io),
    });
    const demo = isDemo(chosen, config);
    const ended = async (): Promise<void> => {
      await running[Symbol.asyncDispose]();
      await rules.kept();
    };
    const set = await composeTools(io, flags, {
      ...{ demo, modules, agreed, starts, rules },
      servers: running.servers,
      told: say,
    });
    return { set, model, rules, flags, config, [Symbol.asyncDispose]: ended };
  } catch (thrown) {
    await running[Symbol.asyncDispose]();
    throw thrown;
  }
}
