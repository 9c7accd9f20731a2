import type { CreatedModel } from '../src/models/index.js';
import { chooseModel, createModel, probeOllama } from '../src/models/index.js';
import type { Config } from './config-file.js';
import type { Io } from './io.js';
import type { Mode } from './mode.js';
import type { RunFlags } from './options.js';

export interface ComposedModel {
  readonly model: CreatedModel;
  readonly spec: string;
  readonly baseUrl?: string;
  /** Says which model it is and why; absent where a flag named it. */
  readonly notice?: string;
}

/** Milliseconds a word of the demo model takes on a terminal. */
const DEMO_WORD_MS = 15;

/** The model that the flags, the session, the environment or the machine's state choose, in this order. */
export async function composeModel(
  io: Io,
  flags: RunFlags,
  mode: Mode,
  { config, saved }: { readonly config: Config; readonly saved?: string },
): Promise<ComposedModel> {
  const { env, clock, random } = io;
  const flag = flags.model ?? saved;
  const baseUrl = flags.baseUrl ?? env['HITL_BASE_URL'] ?? env['ANTHROPIC_BASE_URL'] ?? config.baseUrl;
  const options = {
    env,
    ...(flag !== undefined && { flag }),
    ...(config.model !== undefined && { config: config.model }),
    ...(baseUrl !== undefined && { baseUrl }),
    probeOllama: (signal: AbortSignal) => probeOllama(fetch, signal),
  };
  const choice = await chooseModel(options, new AbortController().signal);
  const apiKey = env['ANTHROPIC_API_KEY'] ?? env['ANTHROPIC_AUTH_TOKEN'];
  const model = await createModel(choice.spec, {
    clock,
    random,
    ...(config.models !== undefined && { aliases: config.models }),
    ...(apiKey !== undefined && { apiKey }),
    ...(choice.baseUrl !== undefined && { baseUrl: choice.baseUrl }),
    ...(mode.interactive && { wordMs: DEMO_WORD_MS }),
  });
  return {
    model,
    spec: choice.spec,
    ...(choice.baseUrl !== undefined && { baseUrl: choice.baseUrl }),
    ...(flag === undefined && { notice: choice.notice }),
  };
}
