// Invariants:
// B1 Where a server is named, key and conversation go to it and nowhere else, whether the package takes its address or not.
// B2 They go nowhere unencrypted unless somebody agreed, also where the package finds its address by itself.
import { checkClear, HitlError, messageOf, sendingTo } from '../../core/index.js';
import { namedFetch } from '../../outgoing/named-fetch.js';
import { WHAT_MODELS_GET } from '../anthropic/messages-server.js';
import { isRedirect } from '../provider-error.js';
import { BrokenReply } from './broken-reply.js';
import type { AiSdkModel } from './sdk-model.js';

/** An AI SDK provider package and the name of one of its models. */
export interface InstalledModel {
  readonly package: string;
  readonly model: string;
}

/** An AI SDK provider, which creates models by name. */
interface Provider {
  languageModel(name: string): AiSdkModel;
}

/**
 * Options for creating a model from a package: the function that loads packages, and a server to use instead
 * of the provider's.
 */
export interface InstalledOptions {
  readonly load: (name: string) => Promise<unknown>;
  readonly baseUrl?: string;
  /**
   * Whether the key and the conversation may be sent to another machine without encryption. Default: false.
   */
  readonly allowHttp?: boolean;
}

/**
 * Finds the provider in a package and creates a model with it. The package reads its key from the
 * environment. Redirects are not followed, so neither the key nor the conversation can leak to another server
 * (G33).
 * @throws HitlError USAGE if the package is not installed or exports no provider, BAD_CONFIG if it cannot
 * create the model.
 */
export async function installedModel(
  { package: name, model }: InstalledModel,
  { load, ...server }: InstalledOptions,
): Promise<AiSdkModel> {
  const exported = await load(name).catch((cause: unknown) => {
    throw new HitlError('USAGE', `cannot load package \`${name}\`: ${messageOf(cause)}`, {
      hint: `install it next to hitl: npm install ${name}`,
      cause,
    });
  });
  const { baseUrl } = server;
  const { isThere, provider } = providerOf(exported, name, server);
  if (provider === undefined && baseUrl === undefined && makerOf(exported, shortName(name)) !== undefined)
    throw new HitlError('USAGE', `\`${name}\` requires a server URL`, {
      hint: `--base-url http://127.0.0.1:8080/v1`,
    });
  if (isThere && provider === undefined)
    throw new HitlError(
      'USAGE',
      `\`${name}\` has no \`create…\` function, so its requests cannot be restricted to one server`,
      {
        hint: 'a redirect could leak its key; in your own program, use fromAiSdk(provider.languageModel(…))',
      },
    );
  if (provider === undefined)
    throw new HitlError('USAGE', `the package \`${name}\` does not export an AI SDK provider`, {
      hint: 'specify a provider package: --model ai-sdk:@ai-sdk/openai/gpt-5',
    });
  try {
    return provider.languageModel(model);
  } catch (cause) {
    throw new HitlError('BAD_CONFIG', `\`${name}\` makes no model \`${model}\`: ${messageOf(cause)}`, {
      hint: 'see its documentation for model names and the API key variable',
      cause,
    });
  }
}

/**
 * Returns whether a package exports a provider. Also returns a new provider, made with the package's
 * `create…` function, which receives hitl's `fetch` and the server URL. A package for arbitrary servers does
 * not export a provider itself, and needs a URL.
 */
function providerOf(
  exported: unknown,
  name: string,
  server: Omit<InstalledOptions, 'load'>,
): { readonly isThere: boolean; readonly provider?: Provider } {
  const { baseUrl } = server;
  const short = shortName(name);
  const [ready] = membersIn(exported)
    .filter((entry): entry is readonly [string, Provider] => isProvider(entry[1]))
    .sort(([left], [right]) => Number(right === short) - Number(left === short));
  if (ready === undefined && baseUrl === undefined) return { isThere: false };
  const make = makerOf(exported, ready?.[0] ?? short);
  const address = baseUrl === undefined ? {} : { baseURL: baseUrl };
  const made = make?.({
    ...address,
    ...(ready === undefined && { name: short }),
    fetch: stayingAt(name, server),
  });
  return { isThere: ready !== undefined, ...(isProvider(made) && { provider: made }) };
}

/** Returns the function of a package that creates the named provider. */
function makerOf(exported: unknown, named: string): ((settings: object) => unknown) | undefined {
  const isMaker = ([key, value]: readonly [string, unknown]): boolean =>
    isFunction(value) && key.startsWith('create') && key.toLowerCase().includes(named.toLowerCase());
  const make = membersIn(exported).find(isMaker)?.[1];
  return isFunction(make) ? make : undefined;
}

function membersIn(exported: unknown): readonly (readonly [string, unknown])[] {
  return typeof exported === 'object' && exported !== null ? Object.entries(exported) : [];
}

/** Returns the provider name that a package uses: `openaiCompatible` for `@ai-sdk/openai-compatible`. */
function shortName(name: string): string {
  const last = name.split('/').at(-1) ?? name;
  return last.replaceAll(/-(\w)/gu, (_dash, letter: string) => letter.toUpperCase());
}

/** Maximum size of a response in bytes (T18). Packages do not limit the length of a line that they read. */
const LARGEST_ANSWER = 64_000_000;

/**
 * Returns a `fetch` that does not follow redirects, because they would expose keys in headers. If a server
 * was specified, this `fetch` does not contact any other server (B1).
 */
function stayingAt(
  name: string,
  { baseUrl, allowHttp }: Omit<InstalledOptions, 'load'>,
): typeof globalThis.fetch {
  const only = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
  return async (url, init) => {
    const asked = new URL(url instanceof Request ? url.url : url);
    const { origin, host } = asked;
    if (only !== undefined && origin !== only)
      throw new HitlError(
        'BAD_CONFIG',
        `\`${name}\` would send requests to \`${host}\` instead of the \`--base-url\` server`,
        {
          hint: 'this package has no base URL option; leave out --base-url and set the server as its documentation describes',
        },
      );
    checkClear(sendingTo(asked, WHAT_MODELS_GET), allowHttp); // B2
    return bounded(await namedFetch(url, { ...init, redirect: 'manual' }));
  };
}

/** Limits the size of the response's body. */
function bounded(response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (body === null || isRedirect(status)) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      bytes += piece.length;
      if (bytes > LARGEST_ANSWER) throw new BrokenReply('the reply is too large', false);
      out.enqueue(piece);
    },
  });
  // A status beyond those of HTTP can be received, but not be made.
  return new Response(body.pipeThrough(counted), { status: Math.min(status, 599), statusText, headers });
}

function isFunction(value: unknown): value is (settings: object) => unknown {
  return typeof value === 'function';
}

function isProvider(value: unknown): value is Provider {
  const isOne = typeof value === 'function' || (typeof value === 'object' && value !== null);
  return isOne && 'languageModel' in value && typeof value.languageModel === 'function';
}
