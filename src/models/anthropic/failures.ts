import { APIConnectionError, APIError } from '@anthropic-ai/sdk';

import type { Clock, HitlError, JsonObject, JsonValue } from '../../core/index.js';
import { errnoOf, isHitlError, isJsonObject, membersOf, messageOf, nearNames } from '../../core/index.js';
import type { FailureReport } from '../provider-error.js';
import { isRedirect, providerError, redirected, retryAfterOf, seconds } from '../provider-error.js';
import { scrub } from '../scrub.js';
import { KNOWN_MODELS } from './known-models.js';

export interface FailureContext {
  /** Provider name for messages: `Anthropic`, or `the server at localhost:11434`. */
  readonly who: string;
  readonly model: string;
  readonly clock: Clock;
  /** Text that must not appear in any error message. */
  readonly secrets: readonly string[];
}

type Facts = Omit<FailureReport, 'who' | 'model' | 'keyVariable'>;

const DEEPEST_CAUSE = 5;

/** Converts failures of a model to HitlErrors and removes keys from them (G33). */
export class Failures {
  readonly #context: FailureContext;

  constructor(context: FailureContext) {
    this.#context = context;
  }

  /**
   * Returns the error for a response that violates the protocol. Another attempt would most likely fail in
   * the same way.
   */
  protocol(message: string): HitlError {
    return this.#error({ message, retryable: false });
  }

  /** Returns the error for a stream that ended before the reply was complete. */
  cutOff(contentType: string | undefined, requestId: string | undefined): HitlError {
    const id = requestId === undefined ? {} : { requestId };
    if (contentType !== undefined && !contentType.includes('text/event-stream')) {
      const message = `the response is \`${contentType}\`, not an event stream`;
      return this.#error({ message, retryable: false, ...id });
    }
    return this.#error({ message: 'the stream ended before the reply was complete', retryable: true, ...id });
  }

  /**
   * Returns the error for a response that is larger than any valid reply. Another attempt would most likely
   * fail in the same way.
   */
  tooLarge(what: string, requestId: string | undefined): HitlError {
    const message = `${what} is too large`;
    return this.#error({ message, retryable: false, ...(requestId !== undefined && { requestId }) });
  }

  silent(silenceMs: number, requestId: string | undefined): HitlError {
    const message = `nothing came for ${seconds(silenceMs)}`;
    return this.#error({ message, retryable: true, ...(requestId !== undefined && { requestId }) });
  }

  /** Converts an error event from the provider's stream. */
  reported({ error, request_id: own }: JsonObject, requestId: JsonValue | undefined = own): HitlError {
    const { type, message } = membersOf(error);
    return this.#error({
      message: typeof message === 'string' ? message : 'an error without a message',
      ...(typeof type === 'string' && { type }),
      ...(typeof requestId === 'string' && { requestId }),
    });
  }

  /** Converts any thrown value to an error. */
  of(thrown: unknown, requestId?: string): HitlError {
    if (isHitlError(thrown)) return thrown;
    const id = requestId === undefined ? {} : { requestId };
    if (thrown instanceof APIConnectionError) {
      return this.#error({ message: `no connection: ${innermost(thrown)}`, ...id }, thrown);
    }
    if (isApiError(thrown)) return this.#error({ ...id, ...this.#factsOf(thrown) }, thrown);
    if (thrown instanceof SyntaxError) {
      return this.#error({ message: 'a line in the stream is not JSON', retryable: false, ...id }, thrown);
    }
    return this.#error({ message: `the connection broke: ${innermost(thrown)}`, ...id }, thrown);
  }

  #factsOf(error: APIError): Facts {
    const { status, headers, type, requestID } = error;
    const body: unknown = error.error;
    const inBody = isJsonObject(body) ? body['request_id'] : undefined;
    const requestId = requestID ?? (typeof inBody === 'string' ? inBody : undefined);
    const header = (name: string) => headers?.get(name) ?? null;
    const retryAfterMs = retryAfterOf(header, this.#context.clock.now());
    const advice = header('x-should-retry');
    // A server that is not Anthropic's may put anything where the SDK expects texts.
    const told: unknown = error.apiMessage;
    const kind: unknown = type;
    return {
      message: isRedirect(status)
        ? redirected(header('location'))
        : typeof told === 'string'
          ? told
          : error.message,
      ...(status !== undefined && { status }),
      ...(typeof kind === 'string' && { type: kind }),
      ...(requestId !== undefined && { requestId }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(advice === 'true' && { retryable: true }),
      ...(advice === 'false' && { retryable: false }),
      ...(status === 404 && { near: this.#near() }),
    };
  }

  #near(): readonly string[] {
    const { model } = this.#context;
    const [name] = nearNames(model, KNOWN_MODELS);
    return name === undefined || name === model ? [] : [name];
  }

  #error(facts: Facts, thrown?: unknown): HitlError {
    const { who, model, secrets } = this.#context;
    const message = scrub(facts.message, secrets);
    const cause = thrown === undefined ? undefined : this.#cause(thrown);
    return providerError({ ...facts, message, who, model, keyVariable: 'ANTHROPIC_API_KEY' }, cause);
  }

  /** Returns the error cause shown with `--verbose`: the thrown error without headers, body or keys. */
  #cause(thrown: unknown): Error {
    const cause = new Error(scrub(messageOf(thrown), this.#context.secrets));
    if (thrown instanceof Error) cause.name = thrown.name;
    return cause;
  }
}

/** Narrows a value to the SDK's error class. This is needed because the class itself declares `any`. */
function isApiError(thrown: unknown): thrown is APIError {
  return thrown instanceof APIError;
}

/**
 * Returns the message of the innermost cause of a fetch error: `ECONNREFUSED`, `terminated: other side
 * closed`.
 */
function innermost(thrown: unknown): string {
  let found = thrown;
  for (
    let depth = 0;
    depth < DEEPEST_CAUSE && found instanceof Error && found.cause instanceof Error;
    depth += 1
  ) {
    found = found.cause;
  }
  const code = errnoOf(found);
  const words = messageOf(found);
  return code === undefined || words.includes(code) ? words : `${code} ${words}`.trim();
}
