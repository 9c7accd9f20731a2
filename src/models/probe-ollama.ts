import type { Clock } from '../core/index.js';
import { isJsonObject, withinTime } from '../core/index.js';

/** A local Ollama server and one of its chat models. */
export interface Ollama {
  readonly baseUrl: string;
  readonly model: string;
}

/** The loopback address. No other host is probed. */
const BASE_URL = 'http://127.0.0.1:11434';
const TIMEOUT_MS = 300;

/** Whether the model produces vectors instead of text and therefore cannot chat. */
function isEmbedding(name: string): boolean {
  return /embed|bge-|minilm/iu.test(name);
}

/** Returns the first chat model in the list. Ollama lists the most recently modified model first. */
function firstModel(body: unknown): string | undefined {
  const models: unknown = isJsonObject(body) ? body['models'] : undefined;
  if (!Array.isArray(models)) return undefined;
  const names = models.map((model: unknown) => (isJsonObject(model) ? model['name'] : undefined));
  return names.find((name): name is string => typeof name === 'string' && name !== '' && !isEmbedding(name));
}

export interface ProbeOptions {
  readonly request: typeof globalThis.fetch;
  readonly clock: Clock;
}

/**
 * Detects a local Ollama server that responds within 300 ms and has a chat model. An invalid response is
 * treated as if there were no server. Throws only if the caller aborts.
 */
export async function probeOllama(
  { request, clock }: ProbeOptions,
  signal: AbortSignal,
): Promise<Ollama | undefined> {
  signal.throwIfAborted();
  try {
    const late = () => new Error('it did not answer in time');
    const ask = async (limit: AbortSignal): Promise<Ollama | undefined> => {
      const response = await request(`${BASE_URL}/api/tags`, { signal: limit, redirect: 'error' });
      if (!response.ok) return undefined;
      const model = firstModel(await response.json());
      return model === undefined ? undefined : { baseUrl: BASE_URL, model };
    };
    return await withinTime(ask, { clock, ms: TIMEOUT_MS, late }, signal);
  } catch {
    // Nothing listens there, or it is not an Ollama: then there is none.
    signal.throwIfAborted();
    return undefined;
  }
}
