// A model of any provider of the AI SDK. Nothing of the AI SDK is loaded here.
import type { Clock, Model, ModelEvent, ModelRequest } from '../../core/index.js';
import { HitlError, membersOf } from '../../core/index.js';
import { withRetry } from '../retry.js';
import { UnlessAborted } from '../unless-aborted.js';
import { sdkError } from './failure.js';
import { ReplyReader } from './from-stream.js';
import type { AiSdkCall, AiSdkModel, AiSdkStream } from './sdk-model.js';
import { readerOf, toCall } from './to-prompt.js';

export type { InstalledModel } from './installed.js';
export { installedModel } from './installed.js';

export type { AiSdkCall, AiSdkModel, AiSdkStream };

/** The surroundings of a model of the AI SDK. */
export interface AiSdkOptions {
  /** Waits between two tries. */
  readonly clock: Clock;
  /** From 0 up to 1; spreads retries. */
  readonly random: () => number;
}

const READ = ['v2', 'v3'];

/**
 * Makes a model of a language model of the AI SDK. Text, reasoning, tool inputs and usage
 * stream; what the provider says of a part goes back to it with the next request.
 * @throws HitlError BAD_CONFIG for what is no language model, or one of a version that is not read.
 */
export function createAiSdkModel(model: AiSdkModel, { clock, random }: AiSdkOptions): Model {
  const { specificationVersion, provider, modelId, doStream } = membersOf(model);
  if (typeof provider !== 'string' || typeof modelId !== 'string' || typeof doStream !== 'function')
    throw new HitlError('BAD_CONFIG', 'this is no language model of the AI SDK', {
      hint: 'give what a provider package makes, such as openai("gpt-5")',
    });
  const version = typeof specificationVersion === 'string' ? specificationVersion : 'unknown';
  if (!READ.includes(version))
    throw new HitlError('BAD_CONFIG', `version \`${version}\` of a model is not read`, {
      hint: `use a provider package whose models are of version ${READ.join(' or ')}`,
    });
  const bare: Model = {
    id: `ai-sdk:${provider}/${modelId}`,
    generate: (request, signal) => replyOf(model, request, signal),
  };
  return withRetry(bare, { clock, random });
}

async function* replyOf(
  model: AiSdkModel,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  const reader = readerOf(request, model.provider);
  const reply = new ReplyReader(reader);
  try {
    for await (const part of partsOf(model, toCall(request, reader, signal), signal)) yield* reply.read(part);
  } catch (thrown) {
    signal.throwIfAborted();
    throw sdkError(thrown, model);
  }
  const whole = reply.reply();
  if (whole === undefined) throw sdkError(new Error('the stream ended before the reply did'), model);
  yield { type: 'reply', reply: whole };
}

/** The parts of a stream, which is cancelled where nobody reads it to its end. */
async function* partsOf(
  model: AiSdkModel,
  call: AiSdkCall,
  signal: AbortSignal,
): AsyncGenerator<Readonly<Record<string, unknown>>, void> {
  const waiting = new UnlessAborted(signal);
  const { stream } = await waiting.wait(Promise.resolve(model.doStream(call)));
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await waiting.wait(reader.read());
      isDone = done;
      if (done) return;
      const part: Readonly<Record<string, unknown>> = membersOf(value);
      if (part['type'] === 'error') throw part['error'];
      yield part;
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => undefined); // it is over for us whatever becomes of it
  }
}
