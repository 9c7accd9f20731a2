// `hitl/ai-sdk`: any provider of the AI SDK as a model. Nothing of the AI SDK is loaded here.
import type { Clock, Model } from '../core/index.js';
import type { AiSdkCall, AiSdkModel, AiSdkStream } from '../models/index.js';
import { createAiSdkModel, LONG_SILENCE_MS } from '../models/index.js';
import { systemClock } from './system-clock.js';

export type { AiSdkCall, AiSdkModel, AiSdkStream };

/** The clock and the chance of retries. */
export interface FromAiSdkOptions {
  /** Waits between two tries. Default: the clock of this machine. */
  readonly clock?: Clock;
  /** From 0 up to 1; spreads retries. Default: `Math.random`. */
  readonly random?: () => number;
  /** A stream that is silent for longer counts as dead, in milliseconds. Default: ten minutes, and none with a `clock` of yours. */
  readonly silenceMs?: number;
}

/**
 * Makes a model of a language model of the AI SDK: `fromAiSdk(openai('gpt-5'))`. Text, reasoning, tool inputs and usage
 * stream; what the provider says of a part goes back to it with the next request. A failure that may pass is tried again,
 * five times at most.
 * @throws HitlError BAD_CONFIG for what is no language model, or one whose version is not `v2`, `v3` or `v4`.
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): Model {
  const { clock = systemClock, random = Math.random } = options;
  const { silenceMs = options.clock === undefined ? LONG_SILENCE_MS : Infinity } = options;
  return createAiSdkModel(model, { clock, random, silenceMs });
}
