import type { ApprovalPolicy } from '../core/index.js';

/** An ask rule with required approvers. */
export interface RuleOfPeople extends ApprovalPolicy {
  /** The matching calls, as in a rule. */
  readonly ask: string;
}

/** Rules by effect, written as in `hitl rules`. */
export interface ConfiguredRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly (string | RuleOfPeople)[];
  readonly deny?: readonly string[];
}

/** A project's configuration, exported by `hitl.config.ts`; `docs/reference/settings.md` describes the keys. */
export interface HitlConfig {
  /**
   * The model: `anthropic:<model>`, `ai-sdk:<package>/<model>`, `demo`, `script:<file>`, `replay:<file>`, or an alias
   * of `models`.
   */
  readonly model?: string;
  readonly effort?: 'low' | 'medium' | 'high' | 'max';
  readonly thinking?: 'on' | 'off';
  /** URL of the server to use instead of the provider's. */
  readonly baseUrl?: string;
  readonly allowHttp?: boolean;
  /** Model aliases, each with its spec. */
  readonly models?: Readonly<Record<string, string>>;
  /** The system prompt; `@file` reads it from a file. */
  readonly system?: string;
  /** Modules that export tools, relative to the folder of this file. */
  readonly tools?: readonly string[];
  /** A project's rules can ask and deny, but not allow. */
  readonly rules?: ConfiguredRules;
  readonly mode?: 'accept-edits' | 'ask' | 'auto' | 'read-only';
  /** A project can only turn off the reviewer of your own configuration. */
  readonly reviewer?: false;
  /** Whether the model gets `AGENTS.md` of the folder, once trusted. */
  readonly memory?: 'on' | 'off';
  readonly sandbox?: 'off' | 'auto' | 'required';
  /** Tool rounds for one message, 1 to 1,000. */
  readonly maxTurns?: number;
  /** In US dollars. */
  readonly maxCost?: number;
  /** Token limit of the session, in and out. */
  readonly maxTokens?: number;
  /** A number of seconds below 1,000, or `90s`, `5m`, `1h30m`. */
  readonly maxTime?: string | number;
  /** Token limit of a request; older messages are summarized as it is approached. */
  readonly contextLimit?: number;
  readonly compact?: 'auto' | 'ask';
  readonly onToolError?: 'tell-model' | 'ask';
  /** Command to run when a question is waiting and nobody is at a terminal. */
  readonly notify?: readonly string[];
  /** Whether to show the status line. */
  readonly statusLine?: boolean;
}

/**
 * Types a configuration for `hitl.config.ts`; returns it unchanged.
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
