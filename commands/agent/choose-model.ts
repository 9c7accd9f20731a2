import { HitlError, present } from '../../src/core/index.js';
import type { CreateModelOptions } from '../../src/models/index.js';
import { chooseModel, parseModelSpec, probeOllama } from '../../src/models/index.js';
import { CLIENT_MODEL } from '../asking/standing.js';
import { namedFetch } from '../../src/outgoing/named-fetch.js';
import type { Config } from '../settings/settings.js';
import type { Io } from '../host/index.js';
import type { RunFlags } from '../flags/options.js';

/** The model to create. */
export interface ChosenModel {
  readonly spec: string;
  readonly baseUrl?: string;
  /** Whether the key and conversation may be sent over `http:` to another machine. */
  readonly allowHttp?: boolean;
  /** A notice that says which model is used and why. Absent if a flag chose it. */
  readonly notice?: string;
}

export interface ModelPlace {
  /** Settings from the environment and the configuration files. */
  readonly config: Config;
  /** The model that the session used before, and its server unless that is the provider's. */
  readonly saved?: { readonly model: string; readonly server?: string };
}

/**
 * Returns the model to use. It is determined by the flags, the session, the environment, the configuration,
 * or what is available on this machine, in this order.
 */
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
    probeOllama: (signal: AbortSignal) => probeOllama({ request: namedFetch, clock }, signal),
  };
  const { spec, baseUrl: named, notice } = await chooseModel(options, new AbortController().signal);
  const baseUrl = isOfAnthropic(env, { named, own: flags.baseUrl ?? kept?.server })
    ? forAnthropic(spec, named, config)
    : named;
  const allowHttp = flags.allowHttp ?? config.allowHttp;
  return {
    spec,
    ...present({ baseUrl, allowHttp }),
    ...(flag === undefined && { notice }),
  };
}

/** Whether the URL comes only from an Anthropic variable and therefore does not apply to other providers. */
function isOfAnthropic(
  env: Io['env'],
  { named, own }: { readonly named: string | undefined; readonly own: string | undefined },
): boolean {
  return (
    named !== undefined &&
    own === undefined &&
    (env['HITL_BASE_URL'] ?? '') === '' &&
    named === env['ANTHROPIC_BASE_URL']
  );
}

function forAnthropic(
  spec: string,
  baseUrl: string | undefined,
  { models }: Pick<Config, 'models'>,
): string | undefined {
  return parseModelSpec(spec, present({ aliases: models, baseUrl })).type === 'anthropic'
    ? baseUrl
    : undefined;
}

/**
 * Refuses a base URL for a model that does not use a server. If the URL were ignored, the user would be
 * misled.
 * @throws HitlError USAGE
 */
export function checkServerFlag(
  { baseUrl }: Pick<RunFlags, 'baseUrl'>,
  { spec }: Pick<ChosenModel, 'spec'>,
  { models }: Config,
): void {
  if (baseUrl === undefined) return;
  const { type } = parseModelSpec(spec, present({ aliases: models, baseUrl }));
  if (type === 'anthropic' || type === 'ai-sdk') return;
  throw new HitlError('USAGE', `\`--base-url\` and \`--model ${spec}\` cannot be used together`, {
    hint: 'that model asks no server: leave --base-url out, or name a model of that server: --model anthropic:<model>',
  });
}

/** Whether a model spec refers to the built-in demo model, directly or through an alias. */
export function isDemo(
  { spec, baseUrl }: Pick<ChosenModel, 'spec' | 'baseUrl'>,
  { models }: Config,
): boolean {
  return spec !== CLIENT_MODEL && parseModelSpec(spec, present({ aliases: models, baseUrl })).type === 'demo';
}

/**
 * Returns the agent that a model spec refers to, directly or through an alias, or `undefined` if it refers to
 * a model.
 */
export function agentOf(
  { spec, baseUrl }: Pick<ChosenModel, 'spec' | 'baseUrl'>,
  { models }: Config,
): string | undefined {
  if (spec === CLIENT_MODEL) return undefined;
  const parsed = parseModelSpec(spec, present({ aliases: models, baseUrl }));
  return parsed.type === 'acp' ? parsed.agent : undefined;
}

/**
 * Returns the options for access to a provider: the key from the environment, the server, and the aliases
 * from the configuration.
 */
export function accessTo(
  { baseUrl, allowHttp }: ChosenModel,
  { env }: Io,
  { models }: Config,
): Pick<CreateModelOptions, 'apiKey' | 'baseUrl' | 'allowHttp' | 'aliases'> {
  const apiKey = env['ANTHROPIC_API_KEY'] ?? env['ANTHROPIC_AUTH_TOKEN'];
  return present({ aliases: models, apiKey, baseUrl, allowHttp });
}
