// `hitl/ai-sdk`: any provider of the AI SDK as a model. Nothing of the AI SDK is loaded here.
import type { Clock, Model } from '../core/index.js';
import type { AiSdkCall, AiSdkModel, AiSdkStream } from '../models/index.js';
import { createAiSdkModel, LONG_SILENCE_MS } from '../models/index.js';
import { systemClock } from './system-clock.js';

export type { AiSdkCall, AiSdkModel, AiSdkStream };

/** Clock and randomness of retries. */
export interface FromAiSdkOptions {
  /** Clock of retry pauses. Default: this machine's. */
  readonly clock?: Clock;
  /** Returns a number from 0 up to 1; spreads retries. Default: `Math.random`. */
  readonly random?: () => number;
  /**
   * Milliseconds of silence after which a stream counts as dead. Default: ten minutes; none with your own `clock`.
   */
  readonly silenceMs?: number;
}

/**
 * Creates a model from an AI SDK language model: `fromAiSdk(openai('gpt-5'))`. Text, reasoning, tool inputs and usage
 * stream; the provider's metadata of a part is sent back with the next request. Temporary failures are retried up to
 * five times.
 * @throws HitlError BAD_CONFIG for anything else, or a version other than `v2`, `v3` or `v4`.
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): Model {
  const { clock = systemClock, random = Math.random } = options;
  const { silenceMs = options.clock === undefined ? LONG_SILENCE_MS : Infinity } = options;
  return createAiSdkModel(model, { clock, random, silenceMs });
}
