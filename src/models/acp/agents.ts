/** A known agent: how to start it, and how the user logs in. hitl does not download agents. */
export interface AgentRow {
  /** Program to run, and its arguments. The program is looked up in the search path. */
  readonly words: readonly string[];
  /** How to install the agent. */
  readonly install: string;
  /** How the user logs in to the agent. */
  readonly login: string;
  /**
   * Environment variables to pass on to the agent, for its own settings and keys. A name that ends in `*` is
   * a prefix.
   */
  readonly variables: readonly string[];
  /** Login method of the agent for each environment variable that contains a key. */
  readonly keys: Readonly<Record<string, string>>;
  /**
   * Whether to report a missing file to the agent as an empty file, because the agent does not handle the
   * error.
   */
  readonly missingIsEmpty?: true;
}

const NPM = 'npm install -g';

/** Agents known by name. */
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

/** Returns a known agent, or `undefined` if the name is the user's own command. */
export function agentRow(name: string): AgentRow | undefined {
  return Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
}

/** Prefix of model specs that specify an agent. */
export const ACP = 'acp:';
