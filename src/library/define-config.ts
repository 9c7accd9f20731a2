import type { ApprovalPolicy } from '../core/index.js';

/** A rule that asks, and says whose word such a call takes. */
export interface RuleOfPeople extends ApprovalPolicy {
  /** The calls that it is about, as a rule says them. */
  readonly ask: string;
}

/** Rules by what they do; each is written as `hitl rules` writes it. */
export interface ConfiguredRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly (string | RuleOfPeople)[];
  readonly deny?: readonly string[];
}

/** A project's configuration, as `hitl.config.ts` exports it; `docs/reference/settings.md` says what each key does. */
export interface HitlConfig {
  /** The model: `anthropic:<model>`, `ai-sdk:<package>/<model>`, `demo`, `script:<file>`, `replay:<file>`, or a name of `models`. */
  readonly model?: string;
  readonly effort?: 'low' | 'medium' | 'high' | 'max';
  readonly thinking?: 'on' | 'off';
  /** URL of the server to ask instead of the provider’s own; nothing is sent anywhere else. */
  readonly baseUrl?: string;
  readonly allowHttp?: boolean;
  /** Your names for models, each with the spec that it stands for. */
  readonly models?: Readonly<Record<string, string>>;
  /** The system prompt; `@file` reads it from a file. */
  readonly system?: string;
  /** Modules that export tools, relative to the folder of this file. */
  readonly tools?: readonly string[];
  /** A project can ask and deny, and not allow. */
  readonly rules?: ConfiguredRules;
  readonly mode?: 'accept-edits' | 'ask' | 'read-only';
  readonly sandbox?: 'off' | 'auto' | 'required';
  /** Rounds of tool calls for one message, 1 to 1,000. */
  readonly maxTurns?: number;
  /** In US dollars. */
  readonly maxCost?: number;
  /** Tokens of the session, in and out together. */
  readonly maxTokens?: number;
  /** A number of seconds below 1,000, or `90s`, `5m`, `1h30m`. */
  readonly maxTime?: string | number;
  /** Token limit of a request; older messages are summarized as it is approached. */
  readonly contextLimit?: number;
  readonly compact?: 'auto' | 'ask';
  readonly onToolError?: 'tell-model' | 'ask';
  /** A program and its arguments, run when a question waits and nobody is at a terminal. */
  readonly notify?: readonly string[];
  /** Whether the row under the prompt says where one is. */
  readonly statusLine?: boolean;
}

/**
 * Gives a configuration its type, for `hitl.config.ts`; returns it as it is.
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
