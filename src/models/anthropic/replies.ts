import type { JsonObject, ModelEvent, ModelRequest, Part, Usage } from '../../core/index.js';
import {
  addUsage,
  HitlError,
  membersOf,
  parseStrictJson,
  providerCallOf,
  providerResultOf,
} from '../../core/index.js';
import { failureOf } from '../provider-error.js';
import { refMinter } from '../request-facts.js';
import type { RetryOptions } from '../retry-model.js';
import { retryStream } from '../retry-model.js';
import { Watchdog } from '../stream-watchdog.js';
import { checkRequest } from './request/check-support.js';
import type { ConnectionOptions, OpenStream } from './connection.js';
import { fetchCount, openStream } from './connection.js';
import type { Failures } from './failures.js';
import type { Leg, LegEvent } from './from-stream.js';
import { readStream } from './from-stream.js';
import { toBlocks } from './request/to-blocks.js';
import type { PartContext } from './to-parts.js';
import { withoutOpenServerCalls } from './to-parts.js';
import type { RequestOptions } from './request/to-request.js';
import { toRequest } from './request/to-request.js';
import { usageOf } from './billed-usage.js';
import { toolsInFull } from './request/tool-search.js';
import { WireTools } from './request/wire-tools.js';

export interface RepliesOptions {
  readonly failures: Failures;
  readonly silenceMs: number;
  readonly connection: ConnectionOptions;
  readonly retry: RetryOptions;
  readonly request: Omit<RequestOptions, 'reasoningFrom' | 'paused'>;
  /** Name of the model in the price list. Absent if the price is unknown. */
  readonly pricedAs?: string;
}

/** Maximum number of times to continue a paused reply. */
const MOST_PAUSES = 10;
/**
 * Matches error messages about thinking that the provider cannot verify, because the model, the tools or the
 * history have changed.
 */
const MISPLACED_THINKING = /signature|bound to|cannot be modified/iu;

/** The parts and the usage of a reply so far. */
interface Progress {
  content: readonly Part[];
  usage: Usage | undefined;
}

/**
 * Requests replies from the API. Continues after pauses, retries after transient failures, and drops thinking
 * that has become invalid.
 */
export class AnthropicReplies {
  readonly #options: RepliesOptions;
  /** Index of the first message whose thinking is sent. Earlier thinking has become invalid. */
  #reasoningFrom = 0;
  /** Whether the API has rejected a schema. Schemas are then sent as text. */
  #schemasRefused = false;
  /** Whether the API has rejected tool search. Requests then contain all tools in full. */
  #searchRefused = false;
  /** Whether the server is known not to support counting tokens. */
  #countsNothing = false;

  constructor(options: RepliesOptions) {
    this.#options = options;
  }

  async *generate(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const tools = new WireTools(request.tools);
    const { failures } = this.#options;
    const context: PartContext = { tools, failures, mintRef: (index) => refMinter(request)(index) };
    const progress: Progress = { content: [], usage: undefined };
    for (let pauses = 0; ; pauses += 1) {
      const leg = yield* this.#leg(request, context, progress, signal);
      progress.content = [...progress.content, ...leg.content];
      progress.usage = sum(progress.usage, usageOf(leg.counts, this.#options.pricedAs));
      if (leg.end !== 'paused' || leg.content.length === 0 || pauses === MOST_PAUSES) {
        const { usage } = progress;
        const content = leg.end === 'tool-use' ? progress.content : withoutOpenServerCalls(progress.content);
        const { end, refusal } = leg;
        const told = { ...(refusal !== undefined && { refusal }), ...(usage !== undefined && { usage }) };
        yield { type: 'reply', reply: { content, end, ...told } };
        return;
      }
    }
  }

  /**
   * Counts the tokens in a request. Returns `undefined` if the server cannot count them; in that case, does
   * not try again.
   */
  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | undefined> {
    if (this.#countsNothing) return undefined;
    const progress: Progress = { content: [], usage: undefined };
    const {
      max_tokens: _most,
      stream: _stream,
      ...body
    } = this.#body(request, new WireTools(request.tools), progress);
    try {
      const read = parseStrictJson(await fetchCount(this.#options.connection, body, signal));
      const tokens = read.ok ? membersOf(read.value)['input_tokens'] : undefined;
      if (typeof tokens === 'number' && tokens > 0) return tokens;
    } catch {
      if (signal.aborted) return undefined; // else as below: the request itself tells what is wrong
    }
    this.#countsNothing = true;
    return undefined;
  }

  /**
   * Requests one response from the provider. If the provider rejects thinking, schemas or tool search,
   * repeats the request without them.
   */
  async *#leg(
    request: ModelRequest,
    context: PartContext,
    progress: Progress,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Leg, undefined> {
    const ask = () => this.#tell(this.#body(request, context.tools, progress), context, progress, signal);
    for (let attempt = 2; ; attempt += 1) {
      try {
        return yield* ask();
      } catch (thrown) {
        const reason = this.#without(thrown, request);
        if (reason === undefined) throw thrown;
        yield { type: 'retrying', attempt, waitMs: 0, reason };
      }
    }
  }

  get #searches(): boolean {
    return this.#options.request.searchesTools === true && !this.#searchRefused;
  }

  /**
   * Stops sending what the provider has rejected, and returns a description of what is left out. Returns
   * `undefined` if there is nothing left to leave out.
   */
  #without(thrown: unknown, { messages, outputSchema, tools }: ModelRequest): string | undefined {
    if (this.#searches && toolsInFull(tools.length) < tools.length && isRefused(thrown, REFUSED_SEARCH)) {
      this.#searchRefused = true;
      return 'without tool search';
    }
    if (isMisplacedThinking(thrown) && this.#reasoningFrom < messages.length) {
      this.#reasoningFrom = messages.length;
      return 'without earlier thinking';
    }
    const { schemas = 'told' } = this.#options.request;
    const isGiven = schemas === 'held' || (schemas === 'asked' && outputSchema !== undefined);
    if (!isGiven || this.#schemasRefused || !isRefused(thrown, REFUSED_SCHEMA)) return undefined;
    this.#schemasRefused = true;
    return 'without schema enforcement';
  }

  async *#tell(
    body: JsonObject,
    context: PartContext,
    progress: Progress,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Leg, undefined> {
    let leg: Leg | undefined;
    const start = (inside: AbortSignal) => this.#stream(body, context, inside);
    for await (const event of retryStream(start, this.#options.retry, signal)) {
      if (event.type === 'reply') leg = event.leg;
      else yield event;
      if (event.type === 'restarted') yield* again(progress.content);
    }
    if (leg === undefined) throw this.#options.failures.cutOff(undefined, undefined);
    return leg;
  }

  #body(request: ModelRequest, tools: WireTools, { content }: Progress): JsonObject {
    const options = this.#options.request;
    const blocks = content.flatMap((part) =>
      toBlocks(part, { tools, unsignedReasoning: options.unsignedReasoning }),
    );
    const body = toRequest(request, tools, {
      ...options,
      ...(this.#schemasRefused && { schemas: 'told' }),
      searchesTools: this.#searches,
      reasoningFrom: this.#reasoningFrom,
      ...(blocks.length > 0 && { paused: { role: 'assistant', content: blocks } }),
    });
    const problems = checkRequest(body);
    if (problems.length === 0) return body;
    throw new HitlError('MODEL_REQUEST', `the messages cannot be sent to a model: ${problems.join('; ')}`, {
      hint: 'diagnose the session with hitl doctor; go back with `hitl rewind`, or fork it',
      detail: { problems },
    });
  }

  async *#stream(
    body: JsonObject,
    context: PartContext,
    signal: AbortSignal,
  ): AsyncGenerator<LegEvent, void, undefined> {
    const { failures, silenceMs, connection, retry } = this.#options;
    signal.throwIfAborted();
    const watch = new Watchdog(silenceMs, retry.clock, signal);
    let stream: OpenStream | undefined;
    try {
      const heard = () => {
        watch.heard();
      };
      stream = await openStream(connection, body, heard, watch.signal);
      yield* readStream(stream, context);
    } catch (thrown) {
      signal.throwIfAborted();
      throw watch.silent
        ? failures.silent(silenceMs, stream?.requestId)
        : failures.of(thrown, stream?.requestId);
    } finally {
      stream?.close();
      await watch.stop();
    }
  }
}

function isMisplacedThinking(thrown: unknown): boolean {
  if (failureOf(thrown)?.status !== 400 || !(thrown instanceof Error)) return false;
  return /thinking/iu.test(thrown.message) && MISPLACED_THINKING.test(thrown.message);
}

/** Matches error messages about unsupported schemas or too many schemas. */
const REFUSED_SCHEMA = /schema|strict|grammar|output_config|output_format|structured output/iu;

/** Matches error messages from models that do not support tool search. */
const REFUSED_SEARCH = /tool_search|defer_loading|tool_reference/iu;

function isRefused(thrown: unknown, words: RegExp): boolean {
  return failureOf(thrown)?.status === 400 && thrown instanceof Error && words.test(thrown.message);
}

function sum(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
  return left === undefined || right === undefined ? (left ?? right) : addUsage(left, right);
}

/** Repeats the events that were streamed before a pause, because a restart has discarded these events too. */
function* again(content: readonly Part[]): Generator<ModelEvent, void, undefined> {
  for (const part of content) {
    if (part.type === 'text') yield { type: 'text-delta', text: part.text };
    const call = part.type === 'data' ? providerCallOf(part.data) : undefined;
    if (call !== undefined) yield { type: 'provider-call', ...call };
    const result = part.type === 'data' ? providerResultOf(part.data) : undefined;
    if (result !== undefined) yield { type: 'provider-result', ...result };
    if (part.type === 'reasoning' && part.text !== '') yield { type: 'reasoning-delta', text: part.text };
  }
}
