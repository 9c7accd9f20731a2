import { HitlError, messageOf } from '../../core/index.js';
import type { AiSdkModel } from './sdk-model.js';

/** A provider package of the AI SDK, and a model of it. */
export interface InstalledModel {
  readonly package: string;
  readonly model: string;
}

/** A provider as the AI SDK has it: an object or a function that makes models by their names. */
interface Provider {
  languageModel(name: string): AiSdkModel;
}

/**
 * Finds the provider that a package exports, and has it make a model. The package reads its key from the environment by itself.
 * @throws HitlError USAGE where it is not installed or exports no provider, BAD_CONFIG where it makes no such model.
 */
export async function installedModel(
  { package: name, model }: InstalledModel,
  load: (name: string) => Promise<unknown>,
): Promise<AiSdkModel> {
  const exported = await load(name).catch((cause: unknown) => {
    throw new HitlError('USAGE', `the package \`${name}\` cannot be loaded: ${messageOf(cause)}`, {
      hint: `install it beside this program: npm install ${name}`,
      cause,
    });
  });
  const provider = providerOf(exported, name);
  if (provider === undefined)
    throw new HitlError('USAGE', `the package \`${name}\` exports no provider of the AI SDK`, {
      hint: 'name the package of a provider: --model ai-sdk:@ai-sdk/openai/gpt-5',
    });
  try {
    return provider.languageModel(model);
  } catch (cause) {
    throw new HitlError('BAD_CONFIG', `\`${name}\` makes no model \`${model}\`: ${messageOf(cause)}`, {
      hint: 'its documentation says which models it has, and which variable holds its key',
      cause,
    });
  }
}

/** The export that is named as the package, else the first one that makes models. */
function providerOf(exported: unknown, name: string): Provider | undefined {
  if (typeof exported !== 'object' || exported === null) return undefined;
  const short = name
    .split('/')
    .at(-1)
    ?.replaceAll(/-(\w)/gu, (_dash, letter: string) => letter.toUpperCase());
  const found = Object.entries(exported).sort(
    ([left], [right]) => Number(right === short) - Number(left === short),
  );
  for (const [, value] of found) if (isProvider(value)) return value;
  return undefined;
}

function isProvider(value: unknown): value is Provider {
  const isOne = typeof value === 'function' || (typeof value === 'object' && value !== null);
  return isOne && 'languageModel' in value && typeof value.languageModel === 'function';
}
