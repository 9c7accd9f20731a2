import { HitlError, messageOf } from '../../core/index.js';
import { isRedirect } from '../provider-error.js';
import { BrokenReply } from './broken-reply.js';
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
 * Finds the provider that a package exports, and has it make a model. The package reads its key from the environment by itself,
 * and its key and the conversation follow no redirect (G33).
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
  const { isThere, provider } = providerOf(exported, name);
  if (isThere && provider === undefined)
    throw new HitlError(
      'USAGE',
      `\`${name}\` has no \`create…\`: its requests could not be held to one server`,
      {
        hint: 'its key would follow a redirect; in a program of yours: fromAiSdk(provider.languageModel(…))',
      },
    );
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

/** Whether a package exports a provider, and the one that its `create…` makes, which takes a `fetch` of ours. */
function providerOf(
  exported: unknown,
  name: string,
): { readonly isThere: boolean; readonly provider?: Provider } {
  if (typeof exported !== 'object' || exported === null) return { isThere: false };
  const found: readonly (readonly [string, unknown])[] = Object.entries(exported);
  const short = name
    .split('/')
    .at(-1)
    ?.replaceAll(/-(\w)/gu, (_dash, letter: string) => letter.toUpperCase());
  const [ready] = found
    .filter((entry): entry is readonly [string, Provider] => isProvider(entry[1]))
    .sort(([left], [right]) => Number(right === short) - Number(left === short));
  if (ready === undefined) return { isThere: false };
  const [named] = ready;
  const isMaker = ([key, value]: readonly [string, unknown]): boolean =>
    isFunction(value) && key.startsWith('create') && key.toLowerCase().includes(named.toLowerCase());
  const make = found.find(isMaker)?.[1];
  const made = isFunction(make) ? make({ fetch: stay }) : undefined;
  return { isThere: true, ...(isProvider(made) && { provider: made }) };
}

/** Bytes of one answer (T18). A package reads a line to its end, however long it is. */
const LARGEST_ANSWER = 64_000_000;

/** Fetches from the address that was asked, and not from where a redirect leads: keys in headers would go along. */
async function stay(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { body, status, statusText, headers } = response;
  if (body === null || isRedirect(status)) return response;
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      bytes += piece.length;
      if (bytes > LARGEST_ANSWER) throw new BrokenReply('the reply is too large', false);
      out.enqueue(piece);
    },
  });
  // A status beyond those of HTTP can be received, but not be made.
  return new Response(body.pipeThrough(bounded), { status: Math.min(status, 599), statusText, headers });
}

function isFunction(value: unknown): value is (settings: object) => unknown {
  return typeof value === 'function';
}

function isProvider(value: unknown): value is Provider {
  const isOne = typeof value === 'function' || (typeof value === 'object' && value !== null);
  return isOne && 'languageModel' in value && typeof value.languageModel === 'function';
}
