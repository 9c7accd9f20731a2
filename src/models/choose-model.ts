import { DEFAULT_ANTHROPIC_MODEL } from './model-spec.js';
import type { Ollama } from './probe-ollama.js';

/** The model that a command uses, and a notice about it. */
export interface ModelChoice {
  /** For `createModel`. */
  readonly spec: string;
  readonly from: 'flag' | 'environment' | 'configuration' | 'key' | 'ollama' | 'demo';
  /** URL of the server. Absent for Anthropic's own server. */
  readonly baseUrl?: string;
  /** One-line message that shows the model and the reason that it was chosen. */
  readonly notice: string;
}

export interface ChooseModelOptions {
  /** `--model`. */
  readonly flag?: string;
  /** The configured `model`. */
  readonly config?: string;
  /** `--base-url` or the configured base URL. */
  readonly baseUrl?: string;
  /** Environment. `HITL_MODEL`, `ANTHROPIC_API_KEY` and `ANTHROPIC_AUTH_TOKEN` are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name of the setting that provides a key if the environment does not contain one. */
  readonly keyFrom?: string;
  /** Looks for a local Ollama server. Called only if nothing else determines the model. See `probeOllama`. */
  readonly probeOllama: (signal: AbortSignal) => Promise<Ollama | undefined>;
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

/**
 * Chooses the model. The flag comes first, followed by `HITL_MODEL` and the configuration. If none of them is
 * set, uses Anthropic if there is a key, a local Ollama server if one responds, or the demo model.
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
