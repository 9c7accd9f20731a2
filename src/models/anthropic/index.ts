import type { Clock, JsonObject, Model } from '../../core/index.js';
import { HitlError } from '../../core/index.js';
import { SILENCE_MS } from '../watchdog.js';
import { Failures } from './failures.js';
import { AnthropicReplies } from './replies.js';

export interface AnthropicModelOptions {
  /** As the provider names it: `claude-sonnet-5-5`. */
  readonly model: string;
  readonly clock: Clock;
  /** Needed for Anthropic itself; other servers are sent `none` without it. */
  readonly apiKey?: string;
  /** Another server that speaks the Messages API. Default: Anthropic's. */
  readonly baseUrl?: string;
  /** A stream that is silent for longer counts as dead, in milliseconds. Default 90,000. */
  readonly silenceMs?: number;
  /** Where a request does not say. Default 32,000 at Anthropic, 8,192 elsewhere. */
  readonly maxOutputTokens?: number;
  /** From 0 up to 1; spreads the waits between tries. Default: they are not spread. */
  readonly random?: () => number;
  /** Default 5; 1 never tries again. */
  readonly maxTries?: number;
  /** Default true. */
  readonly promptCaching?: boolean;
  /** Further members of each request's body, such as `thinking`. */
  readonly extraBody?: JsonObject;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

const ANTHROPIC_URL = 'https://api.anthropic.com';
const ANTHROPIC_HOST = 'api.anthropic.com';
const MAX_OUTPUT_TOKENS = 32_000;
const MAX_OUTPUT_TOKENS_ELSEWHERE = 8192;

/**
 * A model behind the Anthropic Messages API. Streams, retries, checks each request before it is sent.
 * @throws HitlError BAD_CONFIG without a usable key or address; `generate` throws MODEL_FAILED, MODEL_NOT_FOUND,
 * and MODEL_REQUEST for messages that no model could be sent.
 */
export function createAnthropicModel(options: AnthropicModelOptions): Model {
  const {
    model,
    clock,
    baseUrl = ANTHROPIC_URL,
    silenceMs = SILENCE_MS,
    random,
    maxTries,
    extraBody,
  } = options;
  const host = hostOf(baseUrl);
  const official = host === ANTHROPIC_HOST;
  const apiKey = usableKey(options.apiKey, official);
  const failures = new Failures({
    who: official ? 'Anthropic' : `the server at ${host}`,
    model,
    clock,
    secrets: apiKey.length < 8 ? [] : [apiKey],
  });
  const replies = new AnthropicReplies({
    failures,
    silenceMs,
    connection: {
      clock,
      apiKey,
      baseUrl,
      keyInBothHeaders: !official,
      ...(options.fetch !== undefined && { fetch: options.fetch }),
    },
    retry: { clock, ...(random !== undefined && { random }), ...(maxTries !== undefined && { maxTries }) },
    request: {
      model,
      maxOutputTokens:
        options.maxOutputTokens ?? (official ? MAX_OUTPUT_TOKENS : MAX_OUTPUT_TOKENS_ELSEWHERE),
      promptCaching: options.promptCaching ?? true,
      unsignedReasoning: !official,
      ...(extraBody !== undefined && { extraBody }),
    },
    ...(official && { pricedAs: model }),
  });
  return { id: `anthropic:${model}`, generate: (request, signal) => replies.generate(request, signal) };
}

function hostOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')) return url.host;
  throw new HitlError('BAD_CONFIG', 'the base URL is not an http or https address', {
    hint: 'for example --base-url http://localhost:11434',
  });
}

function usableKey(given: string | undefined, official: boolean): string {
  const key = given?.trim() ?? '';
  if (key === '') {
    if (!official) return 'none';
    throw new HitlError('BAD_CONFIG', 'there is no key for Anthropic', {
      hint: 'set ANTHROPIC_API_KEY, or choose another model: --model demo',
    });
  }
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new HitlError('BAD_CONFIG', 'the key for Anthropic holds characters that no key has', {
    hint: 'set ANTHROPIC_API_KEY again; a line break or a space may have come in',
  });
}
