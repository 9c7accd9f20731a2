// `hitl/ai-sdk`: any provider of the AI SDK as a model. Nothing of the AI SDK is loaded here.
import type { Clock, Model } from '../core/index.js';
import type { AiSdkCall, AiSdkModel, AiSdkStream } from '../models/index.js';
import { createAiSdkModel, LONG_SILENCE_MS } from '../models/index.js';
import { systemClock } from './system-clock.js';

export type { AiSdkCall, AiSdkModel, AiSdkStream };

/** `fromAiSdk` options. */
export interface FromAiSdkOptions {
  /** Clock for retry delays. Default: the system clock. */
  readonly clock?: Clock;
  /**
   * Returns a random number from 0 (inclusive) to 1 (exclusive), used to spread out retries. Default:
   * `Math.random`.
   */
  readonly random?: () => number;
  /**
   * Milliseconds without data after which a stream is treated as broken. Default: ten minutes, or no limit if
   * you pass your own `clock`.
   */
  readonly silenceMs?: number;
}

/**
 * Creates a model from an AI SDK language model: `fromAiSdk(openai('gpt-5'))`. Streams text, reasoning, tool
 * inputs and usage. The provider metadata of each part is sent back with the next request. Temporary failures
 * are retried up to five times.
 * @throws HitlError BAD_CONFIG for any other value, or a version other than `v2`, `v3` or `v4`.
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): Model {
  const { clock = systemClock, random = Math.random } = options;
  const { silenceMs = options.clock === undefined ? LONG_SILENCE_MS : Infinity } = options;
  return createAiSdkModel(model, { clock, random, silenceMs });
}
