// The one table of settings. Flags, variables, keys of configurations, `hitl config`, the published schema and the page
// `docs/reference/settings.md` are made from it. It is loaded with every command: no package stands behind it.
import type { SettingKind, ValueOf } from './kind.js';

/** Commands that read settings. `config list` and `config get` tell what the others would have. */
export type ReadingCommand =
  'chat' | 'resume' | 'run' | 'answer' | 'tools' | 'rules add' | 'rules test' | 'config list' | 'config get';

/**
 * The rule of who may say it in a file. `anyone`: a project too, once it is trusted. `narrower`: a project only where
 * it allows less than you do. `you`: your own configuration only. The law is in `commands/config/law.ts`.
 */
export type FileLaw = 'anyone' | 'narrower' | 'you';

/** One row of the table. */
export interface SettingRow {
  /** One line, as in the help. */
  readonly about: string;
  readonly kind: SettingKind;
  /** The value that counts where nothing says otherwise; absent: see `otherwise`. */
  readonly default?: string | number | boolean | readonly string[];
  /** The words for what happens where nothing says otherwise. */
  readonly otherwise?: string;
  /** As commander takes it. */
  readonly flag?: string;
  /** Variables of the environment; the first that is set and not empty counts. */
  readonly variables?: readonly string[];
  /** Absent: no configuration may say it. */
  readonly file?: FileLaw;
  /** Commands that take the flag and read the value; absent: every command. */
  readonly reads?: readonly ReadingCommand[];
}

const RUNS = ['chat', 'resume', 'run', 'answer', 'config list', 'config get'] as const;
const OFFERS = [...RUNS, 'tools', 'rules add', 'rules test'] as const;

export const SETTINGS = {
  model: {
    about: 'anthropic:<model>, demo, script:<file>, replay:<file>, or a name of `models`',
    kind: { type: 'text' },
    otherwise: 'Anthropic’s where there is a key, else a local Ollama that answers, else the demo model',
    flag: '-m, --model <spec>',
    variables: ['HITL_MODEL'],
    file: 'anyone',
    reads: OFFERS,
  },
  effort: {
    about: 'how much work the model puts into a reply; a session keeps its own',
    kind: { type: 'choice', of: ['low', 'medium', 'high', 'max'] },
    otherwise: 'the model’s own',
    flag: '--effort <level>',
    variables: ['HITL_EFFORT'],
    file: 'anyone',
    reads: RUNS,
  },
  thinking: {
    about: 'whether the model thinks before it speaks; a session keeps its own',
    kind: { type: 'choice', of: ['on', 'off'] },
    otherwise: 'the model’s own',
    flag: '--thinking <on|off>',
    variables: ['HITL_THINKING'],
    file: 'anyone',
    reads: RUNS,
  },
  baseUrl: {
    about: 'another server that speaks the Anthropic Messages API',
    kind: { type: 'url' },
    otherwise: 'the provider’s own',
    flag: '--base-url <url>',
    variables: ['HITL_BASE_URL', 'ANTHROPIC_BASE_URL'],
    file: 'anyone',
    reads: OFFERS,
  },
  allowHttp: {
    about: 'talk to such a server on another machine without encryption',
    kind: { type: 'switch' },
    default: false,
    flag: '--allow-http',
    file: 'narrower',
    reads: OFFERS,
  },
  models: {
    about: 'your names for models, each with the spec that it stands for',
    kind: { type: 'names' },
    file: 'anyone',
    otherwise: 'none',
  },
  apiKeyCommand: {
    about: 'a program and its arguments that print the key; run without a shell where no variable has it',
    kind: { type: 'texts' },
    otherwise: 'none',
    file: 'you',
  },
  system: {
    about: 'system prompt; @file reads it from a file',
    kind: { type: 'text' },
    otherwise: 'none, or the session’s own',
    flag: '-s, --system <text|@file>',
    variables: ['HITL_SYSTEM'],
    file: 'anyone',
    reads: RUNS,
  },
  tools: {
    about: 'modules (.ts, .js, .mjs) that export tools; in a file relative to its folder',
    kind: { type: 'texts' },
    default: [],
    flag: '-t, --tools <module...>',
    file: 'anyone',
    reads: OFFERS,
  },
  mcp: {
    about: 'a server of the Model Context Protocol: a command, an address, or a name; repeatable',
    kind: { type: 'texts' },
    otherwise: 'none',
    flag: '--mcp <server>',
    reads: OFFERS,
  },
  rules: {
    about: 'what is allowed, asked and denied without you; `hitl rules` changes them',
    kind: { type: 'rules' },
    otherwise: 'none',
    file: 'narrower',
  },
  mode: {
    about: 'what the session does without a question; a session keeps its own',
    kind: { type: 'choice', of: ['accept-edits', 'ask', 'read-only'] },
    default: 'ask',
    flag: '--mode <mode>',
    variables: ['HITL_MODE'],
    file: 'narrower',
    reads: OFFERS,
  },
  sandbox: {
    about: 'whether commands run in a sandbox',
    kind: { type: 'choice', of: ['off', 'auto', 'required'] },
    default: 'auto',
    flag: '--sandbox <mode>',
    variables: ['HITL_SANDBOX'],
    file: 'narrower',
    reads: RUNS,
  },
  answersFrom: {
    about:
      'whose answers count by themselves once a command ran without a sandbox; here: where you sit at the terminal',
    kind: { type: 'choice', of: ['anywhere', 'here'] },
    default: 'here',
    flag: '--answers-from <where>',
    file: 'narrower',
    reads: RUNS,
  },
  maxTurns: {
    about: 'rounds of tool calls for one message',
    kind: { type: 'whole', min: 1, max: 1_000 },
    default: 50,
    flag: '--max-turns <n>',
    variables: ['HITL_MAX_TURNS'],
    file: 'narrower',
    reads: RUNS,
  },
  maxCost: {
    about: 'what the session may cost, in US dollars',
    kind: { type: 'dollars' },
    otherwise: 'no limit',
    flag: '--max-cost <usd>',
    variables: ['HITL_MAX_COST'],
    file: 'narrower',
    reads: RUNS,
  },
  maxTime: {
    about: 'how long a run may take: 90, 90s, 5m, 1h30m',
    kind: { type: 'duration' },
    otherwise: 'no limit',
    flag: '--max-time <duration>',
    variables: ['HITL_MAX_TIME'],
    file: 'narrower',
    reads: RUNS,
  },
  onInterrupt: {
    about: 'what happens to an interrupt that nothing answers',
    kind: { type: 'choice', of: ['ask', 'stop', 'deny'] },
    otherwise: 'ask at a terminal, else stop',
    flag: '--on-interrupt <what>',
    file: 'you',
    reads: RUNS,
  },
  onToolError: {
    about: 'who hears of a tool that failed',
    kind: { type: 'choice', of: ['tell-model', 'ask'] },
    default: 'tell-model',
    flag: '--on-tool-error <what>',
    file: 'anyone',
    reads: RUNS,
  },
  statusLine: {
    about: 'whether the row under the prompt says where one is',
    kind: { type: 'switch' },
    default: true,
    file: 'anyone',
    reads: RUNS,
  },
  profiles: {
    about: 'configurations by names, for --profile; what one says wins over your others',
    kind: { type: 'profiles' },
    otherwise: 'none',
    file: 'you',
  },
  profile: {
    about: 'which of your `profiles` counts',
    kind: { type: 'text' },
    otherwise: 'none',
    flag: '--profile <name>',
    variables: ['HITL_PROFILE'],
    reads: OFFERS,
  },
  sessions: {
    about: 'where sessions are kept',
    kind: { type: 'text' },
    otherwise: '`sessions` in the folder of `home`',
    flag: '--sessions <dir>',
    variables: ['HITL_SESSIONS'],
  },
  home: {
    about: 'one folder for sessions, configuration and what is trusted',
    kind: { type: 'text' },
    otherwise:
      '`$XDG_STATE_HOME/hitl` and `$XDG_CONFIG_HOME/hitl`, or ~/.local/state/hitl and ~/.config/hitl',
    variables: ['HITL_HOME'],
  },
  apiKey: {
    about: 'the key for the model’s server; never shown',
    kind: { type: 'text' },
    otherwise: 'none',
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  },
  color: {
    about: 'no colours; FORCE_COLOR wants them where there is no terminal',
    kind: { type: 'switch' },
    otherwise: 'colours on terminals',
    flag: '--no-color',
    variables: ['FORCE_COLOR', 'NO_COLOR', 'HITL_NO_COLOR'],
  },
  accessible: {
    about: 'ask in plain lines, for screen readers and simple terminals',
    kind: { type: 'switch' },
    default: false,
    flag: '--accessible',
    variables: ['HITL_ACCESSIBLE'],
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

type Table = typeof SETTINGS;

/** The name of a setting. */
export type SettingKey = keyof Table;

/** The settings that a configuration may say. */
export type ConfigKey = {
  [Key in SettingKey]: Table[Key] extends { readonly file: string } ? Key : never;
}[SettingKey];

/** The content of a configuration, as it is used: durations in milliseconds. */
export type Config = { readonly [Key in ConfigKey]?: ValueOf<Table[Key]['kind']> };

/** Settings that run commands take as flags, or with them from a configuration. */
export type SettingFlags = Omit<Config, 'models' | 'rules' | 'profiles' | 'apiKeyCommand'> & {
  readonly profile?: string;
  readonly mcp?: readonly string[];
};

/** The rows by name, as the table has them. */
export function settingRows(): readonly (readonly [key: SettingKey, row: SettingRow])[] {
  return SETTING_KEYS.map((key) => [key, SETTINGS[key]]);
}

/** The names of all settings, in the order of the table. */
const SETTING_KEYS: readonly SettingKey[] = Object.keys(SETTINGS).filter(isSettingKey);

/** True for the name of a setting. */
function isSettingKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTINGS, name);
}

/** True for the name of a setting that a configuration may say. */
export function isConfigKey(name: string): name is ConfigKey {
  return isSettingKey(name) && 'file' in SETTINGS[name];
}

/**
 * True for what says nothing but settings that a configuration may say. Their values were read by the kinds of the
 * table before, by the one reader or by the schema that is made from it.
 */
export function isConfig(value: object): value is Config {
  return Object.keys(value).every(isConfigKey);
}
