// A model of any provider of the AI SDK. Nothing of the AI SDK is loaded here.
import type { Clock, Model, ModelEvent, ModelRequest } from '../../core/index.js';
import { HitlError, membersOf, UnlessAborted } from '../../core/index.js';
import { seconds } from '../provider-error.js';
import { refMinter } from '../request-facts.js';
import { withRetry } from '../retry-model.js';
import { Watchdog } from '../stream-watchdog.js';
import { sdkError } from './failure.js';
import { BrokenReply } from './broken-reply.js';
import { ReplyReader } from './from-sdk-stream.js';
import type { AiSdkCall, AiSdkModel, AiSdkStream, AiSdkVersion } from './sdk-model.js';
import { readerOf, toCall } from './to-prompt.js';

export type { InstalledModel } from './installed.js';
export { installedModel } from './installed.js';

export type { AiSdkCall, AiSdkModel, AiSdkStream };

/** Options for an AI SDK model. */
export interface AiSdkOptions {
  /** Clock for the delays between attempts. */
  readonly clock: Clock;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), used to spread out retries. */
  readonly random: () => number;
  /** Milliseconds without data after which a stream is treated as broken. Default: no limit. */
  readonly silenceMs?: number;
}

const READ: readonly AiSdkVersion[] = ['v2', 'v3', 'v4'];

/**
 * Milliseconds without data after which a package's stream is treated as broken. The limit is generous,
 * because a package may not send anything while its model is thinking.
 */
export const LONG_SILENCE_MS = 10 * 60_000;

/**
 * Creates a model from an AI SDK language model. Streams text, reasoning, tool inputs and usage. The provider
 * metadata of each part is sent back with the next request. Temporary failures are retried.
 * @throws HitlError BAD_CONFIG for any other value, or an unsupported version.
 */
export function createAiSdkModel(model: AiSdkModel, options: AiSdkOptions): Model {
  const { clock, random, silenceMs } = options;
  const { specificationVersion, provider, modelId, doStream } = membersOf(model);
  if (typeof provider !== 'string' || typeof modelId !== 'string' || typeof doStream !== 'function')
    throw new HitlError('BAD_CONFIG', 'this is not an AI SDK language model', {
      hint: 'pass a model from a provider package, for example openai("gpt-5")',
    });
  const version = READ.find((one) => one === specificationVersion);
  if (version === undefined) {
    const given = typeof specificationVersion === 'string' ? specificationVersion : 'unknown';
    throw new HitlError('BAD_CONFIG', `unsupported model version \`${given}\``, {
      hint: `use a provider package with ${READ.slice(0, -1).join(', ')} or ${READ.at(-1) ?? ''} models`,
    });
  }
  const bare: Model = {
    id: `ai-sdk:${provider}/${modelId}`,
    generate: (request, signal) => replyOf({ model, version, clock, silenceMs }, request, signal),
  };
  return withRetry(bare, { clock, random });
}

interface Asked {
  readonly model: AiSdkModel;
  readonly version: AiSdkVersion;
  readonly clock: Clock;
  readonly silenceMs: number | undefined;
}

async function* replyOf(
  { model, version, clock, silenceMs = Infinity }: Asked,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  const reader = readerOf(request, model.provider, version);
  const reply = new ReplyReader(reader, (index) => refMinter(request)(index));
  const watch = new Watchdog(silenceMs, clock, signal);
  const heard = () => {
    if (silenceMs < Infinity) watch.heard();
  };
  heard(); // a package that makes no part of what it hears is silent too
  try {
    for await (const part of partsOf(model, toCall(request, reader, watch.signal), watch.signal)) {
      heard();
      yield* reply.read(part);
    }
    const whole = reply.reply();
    for (const text of reply.notes) yield { type: 'text-delta', text };
    yield { type: 'reply', reply: whole };
  } catch (thrown) {
    signal.throwIfAborted();
    const failure = watch.silent
      ? new BrokenReply(`the stream was silent for ${seconds(silenceMs)}`, true)
      : thrown;
    throw sdkError(failure, model, clock.now());
  } finally {
    await watch.stop();
  }
}

/** Yields the parts of a stream. If the consumer stops early, the stream is cancelled. */
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
