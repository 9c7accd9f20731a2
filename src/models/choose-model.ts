import { DEFAULT_ANTHROPIC_MODEL } from './model-spec.js';
import type { Ollama } from './probe-ollama.js';

/** A command's model, with its notice. */
export interface ModelChoice {
  /** For `createModel`. */
  readonly spec: string;
  readonly from: 'flag' | 'environment' | 'configuration' | 'key' | 'ollama' | 'demo';
  /** Server, unless it is Anthropic's. */
  readonly baseUrl?: string;
  /** Names the model and why it was chosen, in one line. */
  readonly notice: string;
}

export interface ChooseModelOptions {
  /** `--model`. */
  readonly flag?: string;
  /** `model` of the configuration. */
  readonly config?: string;
  /** `--base-url`, or its setting in the configuration. */
  readonly baseUrl?: string;
  /** Looked at for `HITL_MODEL`, `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The setting that supplies a key if the environment has none. */
  readonly keyFrom?: string;
  /** Called only if nothing else selects a model; see `probeOllama`. */
  readonly probeOllama: (signal: AbortSignal) => Promise<Ollama | undefined>;
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

/**
 * Chooses the model: the flag, `HITL_MODEL`, the configuration, Anthropic if a key is set, a local Ollama that
 * answers, else the demo model.
 */
export async function chooseModel(options: ChooseModelOptions, signal: AbortSignal): Promise<ModelChoice> {
  const { flag, config, baseUrl, env } = options;
  const server = baseUrl === undefined ? {} : { baseUrl };
  const named = (spec: string, from: ModelChoice['from'], by: string): ModelChoice => {
    return { spec, from, ...server, notice: `model \`${spec}\`, set by ${by}` };
  };
  if (flag !== undefined) return named(flag, 'flag', '`--model`');
  const fromEnv = env['HITL_MODEL'];
  if (isSet(fromEnv)) return named(fromEnv, 'environment', '`HITL_MODEL`');
  if (isSet(config)) return named(config, 'configuration', 'the configuration');
  const variable = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].find((name) => isSet(env[name]));
  const key = variable ?? options.keyFrom;
  const spec = `anthropic:${DEFAULT_ANTHROPIC_MODEL}`;
  if (key !== undefined)
    return { spec, from: 'key', ...server, notice: `model \`${spec}\`, because \`${key}\` is set` };
  // A server was named, so no other one is looked for; it may serve this name, or its error says what it serves.
  if (baseUrl !== undefined) return named(spec, 'flag', '`--base-url` without `--model`');
  const ollama = await options.probeOllama(signal);
  if (ollama !== undefined) {
    const local = `anthropic:${ollama.model}`;
    const why = `because Ollama answers at ${ollama.baseUrl} and no key is set`;
    return { spec: local, from: 'ollama', baseUrl: ollama.baseUrl, notice: `model \`${local}\`, ${why}` };
  }
  const notice =
    'using the built-in demo model, a script (no API key, no local Ollama); set ANTHROPIC_API_KEY or --model';
  return { spec: 'demo', from: 'demo', notice };
}
