// `hitl/ai-sdk`: any provider of the AI SDK as a model. Nothing of the AI SDK is loaded here.
import type { Clock, Model } from '../core/index.js';
import type { AiSdkCall, AiSdkModel, AiSdkStream } from '../models/index.js';
import { createAiSdkModel } from '../models/index.js';
import { systemClock } from './system-clock.js';

export type { AiSdkCall, AiSdkModel, AiSdkStream };

/** The clock and the chance of retries. */
export interface FromAiSdkOptions {
  /** Waits between two tries. Default: the clock of this machine. */
  readonly clock?: Clock;
  /** From 0 up to 1; spreads retries. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Makes a model of a language model of the AI SDK: `fromAiSdk(openai('gpt-5'))`. Text, reasoning, tool inputs and usage
 * stream; what the provider says of a part goes back to it with the next request. A failure that may pass is tried again,
 * five times at most.
 * @throws HitlError BAD_CONFIG for what is no language model, or one whose version is neither `v2` nor `v3`.
 */
export function fromAiSdk(
  model: AiSdkModel,
  { clock = systemClock, random = Math.random }: FromAiSdkOptions = {},
): Model {
  return createAiSdkModel(model, { clock, random });
}
