import { present } from '../../src/core/index.js';
import type { CreateModelOptions } from '../../src/models/index.js';
import { chooseModel, parseModelSpec, probeOllama } from '../../src/models/index.js';
import type { Config } from '../config/index.js';
import type { Io } from '../host/index.js';
import type { RunFlags } from '../flags/index.js';

/** The model that is to be made. */
export interface ChosenModel {
  readonly spec: string;
  readonly baseUrl?: string;
  /** Key and conversation may go over `http:` to another machine. */
  readonly allowHttp?: boolean;
  /** Says which model it is and why; absent where a flag named it. */
  readonly notice?: string;
}

export interface ModelPlace {
  /** The settings that the environment and the configurations say. */
  readonly config: Config;
  /** The choice that the session had before: its model, and the server where that is not the provider's. */
  readonly saved?: { readonly model: string; readonly server?: string };
}

/** The model that the flags, the session, the environment or the machine's state choose, in this order. */
export async function chosenModel(
  { env, clock }: Io,
  flags: Pick<RunFlags, 'model' | 'baseUrl' | 'allowHttp'>,
  { config, saved }: ModelPlace,
): Promise<ChosenModel> {
  const flag = flags.model ?? saved?.model;
  // A session goes on with its model where that is, whatever the environment says by now.
  const kept = flags.model === undefined ? saved : undefined;
  const given = flags.baseUrl ?? kept?.server ?? config.baseUrl;
  const options = {
    env,
    ...present({ flag, config: config.model, baseUrl: given }),
    ...(config.apiKeyCommand !== undefined && { keyFrom: 'apiKeyCommand' }),
    probeOllama: (signal: AbortSignal) => probeOllama({ request: fetch, clock }, signal),
  };
  const { spec, baseUrl, notice } = await chooseModel(options, new AbortController().signal);
  const allowHttp = flags.allowHttp ?? config.allowHttp;
  return {
    spec,
    ...present({ baseUrl, allowHttp }),
    ...(flag === undefined && { notice }),
  };
}

/** True for the built-in demo model, by its own name or by one of the configuration. */
export function isDemo(
  { spec, baseUrl }: Pick<ChosenModel, 'spec' | 'baseUrl'>,
  { models }: Config,
): boolean {
  return parseModelSpec(spec, present({ aliases: models, baseUrl })).type === 'demo';
}

/** Gives what a provider is asked with: the key of the environment, the server, and the names of the configuration. */
export function accessTo(
  { baseUrl, allowHttp }: ChosenModel,
  { env }: Io,
  { models }: Config,
): Pick<CreateModelOptions, 'apiKey' | 'baseUrl' | 'allowHttp' | 'aliases'> {
  const apiKey = env['ANTHROPIC_API_KEY'] ?? env['ANTHROPIC_AUTH_TOKEN'];
  return present({ aliases: models, apiKey, baseUrl, allowHttp });
}
