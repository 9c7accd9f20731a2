/** A known agent: how it is started, and how a person logs in to it. Nothing is downloaded. */
export interface AgentRow {
  /** Program, found in the search path, and its arguments. */
  readonly words: readonly string[];
  /** How to install it. */
  readonly install: string;
  /** How a person logs in to it. */
  readonly login: string;
  /** Variables of its own settings and keys, which it gets; one that ends in `*` is a beginning. */
  readonly variables: readonly string[];
  /** Its login methods that take the key of a variable. */
  readonly keys: Readonly<Record<string, string>>;
  /** It knows no error for a file that is not there: it expects an empty one. */
  readonly missingIsEmpty?: true;
}

const NPM = 'npm install -g';

/** The agents that are known by name. */
export const ACP_AGENTS = {
  'claude-code': {
    words: ['claude-agent-acp'],
    install: `${NPM} @agentclientprotocol/claude-agent-acp`,
    login: 'start `claude`, and log in',
    variables: ['ANTHROPIC_*', 'CLAUDE_*'],
    keys: {},
  },
  codex: {
    words: ['codex-acp'],
    install: `${NPM} @agentclientprotocol/codex-acp`,
    login: 'run `codex login`',
    variables: ['OPENAI_*', 'CODEX_*'],
    keys: { CODEX_API_KEY: 'codex-api-key', OPENAI_API_KEY: 'openai-api-key' },
  },
  gemini: {
    words: ['gemini', '--acp'],
    install: `${NPM} @google/gemini-cli`,
    login: 'start `gemini`, and log in, or set GEMINI_API_KEY',
    variables: ['GEMINI_*', 'GOOGLE_*'],
    keys: { GEMINI_API_KEY: 'gemini-api-key' },
    missingIsEmpty: true,
  },
  opencode: {
    words: ['opencode', 'acp'],
    install: `${NPM} opencode-ai`,
    login: 'run `opencode auth login`',
    variables: ['OPENCODE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    keys: {},
  },
} as const satisfies Readonly<Record<string, AgentRow>>;

const ROWS: Readonly<Record<string, AgentRow>> = ACP_AGENTS;

/** Returns a known agent; `undefined` for a command of the person's own. */
export function agentRow(name: string): AgentRow | undefined {
  return Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
}

/** The beginning of a model spec that names an agent. */
export const ACP = 'acp:';
