import { HitlError, nearNames, ownOf } from '../core/index.js';

/** A parsed model spec. */
export type ModelSpec =
  | { readonly type: 'anthropic'; readonly model: string }
  | { readonly type: 'demo' }
  /** A model from an AI SDK provider package. */
  | { readonly type: 'ai-sdk'; readonly package: string; readonly model: string }
  /** An Agent Client Protocol agent: a known name, or a command. */
  | { readonly type: 'acp'; readonly agent: string }
  | { readonly type: 'script'; readonly file: string }
  | { readonly type: 'replay'; readonly file: string };

export interface SpecContext {
  /** Configured aliases and their specs. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** URL of another server. If set, any other name is treated as the name of one of its models. */
  readonly baseUrl?: string;
}

/** The default Anthropic model. */
export const DEFAULT_ANTHROPIC_MODEL = 'claude-sonnet-5-5';

const KNOWN = [
  'anthropic:<model>',
  'ai-sdk:<package>/<model>',
  'acp:<agent>',
  'demo',
  'script:<file>',
  'replay:<file>',
];
const TAKES_NAME = ['anthropic', 'ai-sdk', 'acp', 'script', 'replay'];

/** Matches a package name, a slash, and a model name. */
const IN_PACKAGE = /^((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)\/(\S+)$/u;
const KINDS = ['demo', ...TAKES_NAME];

function unknown(spec: string, aliases: readonly string[]): HitlError {
  const colon = spec.indexOf(':');
  const kind = colon === -1 ? spec : spec.slice(0, colon);
  const meant = nearNames(spec, ['demo', ...aliases])[0] ?? nearNames(kind, KINDS)[0];
  const rest = meant !== undefined && TAKES_NAME.includes(meant) ? spec.slice(kind.length) : '';
  const guess = meant === undefined ? '' : `did you mean \`${meant}${rest}\`? `;
  return new HitlError('USAGE', `unknown model \`${spec}\``, {
    hint: `${guess}valid models: ${[...KNOWN, 'claude-…', ...aliases].join(', ')}${meant === undefined ? elsewhere(spec) : ''}`,
  });
}

/** Maps common provider names to their packages. */
const PACKAGES: Readonly<Record<string, string>> = {
  openai: 'openai',
  google: 'google',
  gemini: 'google',
  vertex: 'google-vertex',
  bedrock: 'amazon-bedrock',
  azure: 'azure',
  mistral: 'mistral',
  xai: 'xai',
  grok: 'xai',
  groq: 'groq',
  cohere: 'cohere',
  deepseek: 'deepseek',
};

/**
 * Returns a hint on how to specify a model from another provider or from a local Ollama; an empty string if
 * `spec` does not look like either.
 */
function elsewhere(spec: string): string {
  const [, provider = '', model] = /^([a-z]+)[:/](\S+)$/iu.exec(spec) ?? [];
  const name = ownOf(PACKAGES, provider.toLowerCase());
  if (name !== undefined && model !== undefined)
    return `; for another provider, install its package and use --model ai-sdk:@ai-sdk/${name}/${model}`;
  return local(spec);
}

function local(spec: string): string {
  const name = spec.replace(/^ollama:/u, '');
  return /^[\w.-]{1,60}:[\w.-]{1,40}$/u.test(spec)
    ? `; for a local Ollama use --model anthropic:${name} --base-url http://127.0.0.1:11434`
    : '';
}

function missing(kind: string, what: string): HitlError {
  return new HitlError('USAGE', `model \`${kind}:\` requires a ${what.replace('>/<', ' and ')}`, {
    hint: `write \`${kind}:<${what}>\``,
  });
}

function builtIn(spec: string): ModelSpec | undefined {
  const [kind = '', ...rest] = spec.split(':');
  const name = rest.length === 0 ? undefined : rest.join(':');
  if (spec === 'demo') return { type: 'demo' };
  if (kind === 'anthropic') {
    if (name === '') throw missing(kind, 'model');
    return { type: 'anthropic', model: name ?? DEFAULT_ANTHROPIC_MODEL };
  }
  if (kind === 'ai-sdk') {
    const [, inPackage, model] = IN_PACKAGE.exec(name ?? '') ?? [];
    if (inPackage === undefined || model === undefined) throw missing(kind, 'package>/<model');
    return { type: 'ai-sdk', package: inPackage, model };
  }
  if (kind === 'acp') {
    const agent = name?.trim() ?? '';
    if (agent === '') throw missing(kind, 'agent');
    return { type: 'acp', agent };
  }
  if (kind !== 'script' && kind !== 'replay') return undefined;
  if (name === undefined || name === '') throw missing(kind, 'file');
  return { type: kind, file: name };
}

/**
 * Parses `--model`: `anthropic:<model>`, `ai-sdk:<package>/<model>`, `acp:<agent>`, `demo`, `script:<file>`,
 * `replay:<file>`, an alias, or a bare model name such as `claude-sonnet-5-5`.
 * @throws HitlError USAGE listing the known kinds and the closest match.
 */
export function parseModelSpec(text: string, { aliases = {}, baseUrl }: SpecContext = {}): ModelSpec {
  const seen: string[] = [];
  let spec = text.trim();
  for (;;) {
    const known = builtIn(spec);
    if (known !== undefined) return known;
    if (seen.includes(spec)) {
      throw new HitlError('USAGE', `the model alias \`${text.trim()}\` refers to itself`, {
        hint: `aliases: ${[...seen, spec].map((name) => `\`${name}\``).join(' → ')}`,
      });
    }
    const alias = Object.hasOwn(aliases, spec) ? aliases[spec]?.trim() : undefined;
    if (alias === undefined) break;
    seen.push(spec);
    spec = alias;
  }
  if (/^claude-\S+$/u.test(spec) || (baseUrl !== undefined && spec !== ''))
    return { type: 'anthropic', model: spec };
  throw unknown(spec, Object.keys(aliases));
}
