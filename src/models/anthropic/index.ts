import type { Clock, JsonObject } from '../../core/index.js';
import type { CreatedModel } from '../created-model.js';
import { SILENCE_MS } from '../stream-watchdog.js';
import { fetchModels } from './connection.js';
import { Failures } from './failures.js';
import { readModels } from './list-models.js';
import type { ListedModel } from './known-models.js';
import { listedModel } from './known-models.js';
import { AnthropicReplies } from './replies.js';
import { toolsInFull } from './request/tool-search.js';
import type { Schemas } from './request/to-request.js';
import type { ServerOptions } from './messages-server.js';
import { serverOf } from './messages-server.js';

export interface AnthropicModelOptions extends ServerOptions {
  /** The provider's model name: `claude-sonnet-5-5`. */
  readonly model: string;
  readonly clock: Clock;
  /** Milliseconds without data after which a stream is treated as broken. Default: 90,000. */
  readonly silenceMs?: number;
  /**
   * Output token limit for requests that do not set one. Default: 32,000 for Anthropic, 8,192 for other
   * servers.
   */
  readonly maxOutputTokens?: number;
  /**
   * Returns a random number from 0 (inclusive) to 1 (exclusive), used to spread out retries. Default: retries
   * are not spread out.
   */
  readonly random?: () => number;
  /** Maximum number of attempts. 1 means that requests are not retried. Default: 5. */
  readonly maxTries?: number;
  /** Default true. */
  readonly promptCaching?: boolean;
  /** Additional properties for each request, such as `thinking`. */
  readonly extraBody?: JsonObject;
  /** Function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A model whose server can list its models and may be able to count tokens. */
export type AnthropicModel = CreatedModel & Required<Pick<CreatedModel, 'countTokens' | 'listModels'>>;

const MAX_OUTPUT_TOKENS = 32_000;
const MAX_OUTPUT_TOKENS_ELSEWHERE = 8192;

/**
 * Creates a model that uses the Anthropic Messages API. Replies are streamed, failed requests are retried,
 * and each request is validated before it is sent.
 * @throws HitlError BAD_CONFIG if the key or the URL is missing or invalid. `generate` throws MODEL_FAILED,
 * MODEL_NOT_FOUND, and MODEL_REQUEST for messages that no model accepts.
 */
export function createAnthropicModel(options: AnthropicModelOptions): AnthropicModel {
  const { model, clock, silenceMs = SILENCE_MS, random, maxTries, extraBody } = options;
  const { baseUrl, host, official, apiKey } = serverOf(options);
  const failures = new Failures({
    who: official ? 'Anthropic' : `the server at ${host}`,
    model,
    clock,
    secrets: apiKey.length < 8 ? [] : [apiKey],
  });
  const listed = listedModel(model);
  const schemas = schemasOf(listed, official);
  const searchesTools = schemas === 'held'; // the models that are held to schemas are those that search
  const connection = {
    clock,
    apiKey,
    baseUrl,
    keyInBothHeaders: !official,
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  };
  const replies = new AnthropicReplies({
    failures,
    silenceMs,
    connection,
    retry: { clock, ...(random !== undefined && { random }), ...(maxTries !== undefined && { maxTries }) },
    request: {
      model,
      maxOutputTokens:
        options.maxOutputTokens ?? (official ? MAX_OUTPUT_TOKENS : MAX_OUTPUT_TOKENS_ELSEWHERE),
      promptCaching: options.promptCaching ?? true,
      unsignedReasoning: !official,
      schemas,
      searchesTools,
      ...(extraBody !== undefined && { extraBody }),
    },
    ...(listed !== undefined && { pricedAs: model }),
  });
  return {
    id: `anthropic:${model}`,
    hasProviderTools: true,
    isPriced: listed !== undefined,
    ...(listed !== undefined && { contextTokens: listed.window }),
    ...(searchesTools && { toolsInFull }),
    countTokens: (request, signal) => replies.countTokens(request, signal),
    generate: (request, signal) => replies.generate(request, signal),
    async listModels(signal) {
      const text = await fetchModels(connection, signal).catch((thrown: unknown) => {
        throw failures.of(thrown, undefined);
      });
      const offered = readModels(text);
      if (offered === undefined) throw failures.protocol('the response is not a list of models');
      return offered;
    },
  };
}

/**
 * Determines how schemas are passed to a model. Anthropic rejects schemas for models that do not support
 * them. Other servers may ignore schemas, so they also receive them as text.
 */
function schemasOf(listed: ListedModel | undefined, official: boolean): Schemas {
  if (!official) return 'asked';
  return listed === undefined || listed.isFree === true ? 'told' : 'held';
}
