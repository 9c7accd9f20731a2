import { readFile } from 'node:fs/promises';

import type { Clock } from '../core/index.js';
import { assertNever, HitlError, messageOf, present } from '../core/index.js';
import type { AgentPlace } from './acp/agent-program.js';
import type { InstalledModel } from './ai-sdk/index.js';
import { checkedHost } from './anthropic/messages-server.js';
import type { CreatedModel } from './created-model.js';
import { parseModelSpec } from './model-spec.js';

/** Options for `createModel`. */
export interface CreateModelOptions {
  readonly clock: Clock;
  readonly apiKey?: string;
  /**
   * URL of a server to use instead of the provider's, with the same API. Nothing is sent to any other server.
   */
  readonly baseUrl?: string;
  /** Allows sending the key and the conversation over `http:` to another machine. Default: false. */
  readonly allowHttp?: boolean;
  /** Configured aliases and their specs. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Maximum time without data in a provider's stream, in milliseconds. */
  readonly silenceMs?: number;
  readonly maxOutputTokens?: number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), used to randomize retry delays. */
  readonly random?: () => number;
  /**
   * Loads the package for `ai-sdk:<package>/<model>`. Default: imports the package installed next to hitl.
   */
  readonly loadPackage?: (name: string) => Promise<unknown>;
  /** Where and how to start the agent for `acp:<agent>`. If absent, agents cannot be started. */
  readonly agents?: AgentPlace;
}

/** Creates an Anthropic model. Its SDK is loaded only when needed, because loading it takes 250 ms. */
async function createAnthropic(model: string, options: CreateModelOptions): Promise<CreatedModel> {
  const { createAnthropicModel } = await import('./anthropic/index.js');
  return createAnthropicModel({ ...options, model });
}

/**
 * Creates a model from an AI SDK package. Uses only packages installed next to this program, never packages
 * in the working directory.
 */
async function createInstalled(
  found: InstalledModel,
  spec: string,
  options: CreateModelOptions,
): Promise<CreatedModel> {
  const { createAiSdkModel, installedModel, LONG_SILENCE_MS } = await import('./ai-sdk/index.js');
  const { clock, random = () => 0, silenceMs = LONG_SILENCE_MS } = options;
  const { loadPackage = (name) => import(name), baseUrl, allowHttp = false } = options;
  if (baseUrl !== undefined) checkedHost(baseUrl, allowHttp);
  const made = await installedModel(found, { load: loadPackage, allowHttp, ...present({ baseUrl }) });
  const model = createAiSdkModel(made, { clock, random, silenceMs });
  const takesEffort = made.specificationVersion === 'v4';
  return { ...model, id: spec, isPriced: false, takesEffort };
}

async function readText(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new HitlError('USAGE', `cannot read the ${what} \`${file}\`: ${messageOf(cause)}`, {
      hint: 'check the path; it is relative to the working directory',
      cause,
    });
  }
}

/**
 * Creates a model from a spec.
 * @throws HitlError USAGE for an unknown spec, the demo model or an unreadable file; BAD_SCRIPT or
 * BAD_TRANSCRIPT for invalid file content; BAD_CONFIG for a missing key or an invalid URL.
 */
export async function createModel(spec: string, options: CreateModelOptions): Promise<CreatedModel> {
  const parsed = parseModelSpec(spec, options);
  const { clock } = options;
  switch (parsed.type) {
    case 'anthropic':
      return createAnthropic(parsed.model, options);
    case 'ai-sdk':
      return createInstalled(parsed, `ai-sdk:${parsed.package}/${parsed.model}`, options);
    case 'acp': {
      const { AcpModel, agentPlace } = await import('./acp/acp-model.js');
      const { agent } = parsed;
      return new AcpModel({ agent, place: agentPlace(options.agents, agent), clock });
    }
    case 'demo':
      throw new HitlError('USAGE', 'the demo model is part of the CLI, not of the library', {
        hint: 'use `scriptedModel` to play replies, or specify another model',
      });
    case 'script': {
      const { scriptFileModel } = await import('./script-file.js');
      return scriptFileModel(await readText(parsed.file, 'script'), parsed.file, { clock });
    }
    case 'replay': {
      const { recordedFileModel } = await import('./recorded-file.js');
      return recordedFileModel(await readText(parsed.file, 'recording'), parsed.file);
    }
    default:
      return assertNever(parsed);
  }
}
