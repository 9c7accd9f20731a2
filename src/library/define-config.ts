import type { ApprovalPolicy } from '../core/index.js';

/** A rule that asks and that names the required approvers. */
export interface RuleOfPeople extends ApprovalPolicy {
  /** The matching calls, in rule syntax. */
  readonly ask: string;
}

/** Rules grouped by effect, in the syntax of `hitl rules`. */
export interface ConfiguredRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly (string | RuleOfPeople)[];
  readonly deny?: readonly string[];
}

/**
 * A project's configuration, exported by `hitl.config.ts`. For a description of the keys, see
 * `docs/reference/settings.md`.
 */
export interface HitlConfig {
  /**
   * The model: `anthropic:<model>`, `ai-sdk:<package>/<model>`, `demo`, `script:<file>`, `replay:<file>`, or
   * an alias from `models`.
   */
  readonly model?: string;
  readonly effort?: 'low' | 'medium' | 'high' | 'max';
  readonly thinking?: 'on' | 'off';
  /** Server URL to use instead of the provider's. */
  readonly baseUrl?: string;
  readonly allowHttp?: boolean;
  /** Model aliases with the spec that each stands for. */
  readonly models?: Readonly<Record<string, string>>;
  /** System prompt. A value that starts with `@`, such as `@file`, is read from that file. */
  readonly system?: string;
  /** Modules that export tools. Paths are relative to the folder of this file. */
  readonly tools?: readonly string[];
  /** Permission rules. The rules of a project can ask or deny, but not allow. */
  readonly rules?: ConfiguredRules;
  readonly mode?: 'accept-edits' | 'ask' | 'auto' | 'read-only';
  /** Turns off the reviewer. A project cannot turn on a reviewer; only the user's own configuration can. */
  readonly reviewer?: false;
  /** Whether the model receives the folder's `AGENTS.md` once the user has trusted it. */
  readonly memory?: 'on' | 'off';
  readonly sandbox?: 'off' | 'auto' | 'required';
  /** Maximum number of tool rounds per message, 1 to 1,000. */
  readonly maxTurns?: number;
  /** In US dollars. */
  readonly maxCost?: number;
  /** Token limit of the session, for input and output together. */
  readonly maxTokens?: number;
  /** Time limit: a number of seconds below 1,000, or a duration such as `90s`, `5m` or `1h30m`. */
  readonly maxTime?: string | number;
  /** Token limit for a single request. When a request comes close to it, older messages are summarized. */
  readonly contextLimit?: number;
  readonly compact?: 'auto' | 'ask';
  readonly onToolError?: 'tell-model' | 'ask';
  /** Command to run if a question is waiting and no one is at a terminal. */
  readonly notify?: readonly string[];
  /** Whether to show the status line. */
  readonly statusLine?: boolean;
}

/**
 * Adds type checking to a configuration in `hitl.config.ts`. Returns the configuration unchanged.
 *
 * @example
 * ```ts
 * import { defineConfig } from 'hitl';
 *
 * export default defineConfig({ model: 'demo', tools: ['./tools.ts'], maxTurns: 20 });
 * ```
 */
export function defineConfig(config: HitlConfig): HitlConfig {
  return config;
}
