import type { MayAllow } from '../../src/core/index.js';

/**
 * The kind of value that a setting accepts. Flags, environment variables and configuration keys use the same
 * kinds.
 */
export type SettingKind =
  | { readonly type: 'text' }
  | { readonly type: 'url' }
  /** On or off. */
  | { readonly type: 'switch' }
  | { readonly type: 'whole'; readonly min: number; readonly max: number }
  | { readonly type: 'dollars' }
  /** Kept in milliseconds. */
  | { readonly type: 'duration' }
  /** If the choices have an order, they are listed from the most permissive to the strictest. */
  | { readonly type: 'choice'; readonly of: readonly [string, ...string[]] }
  /** A list of strings. */
  | { readonly type: 'texts' }
  /** Strings by name. */
  | { readonly type: 'names' }
  /** Lists of rules, by effect. A rule that cannot be parsed leads to a question, not to an error. */
  | { readonly type: 'rules' }
  /** Objects, by name. They are parsed by the code that uses them. */
  | { readonly type: 'objects'; readonly of: 'servers' | 'channels' }
  /** The reviewer that is consulted before a person is asked: a model or a command; `false` for none. */
  | { readonly type: 'reviewer' }
  /** Settings for hooks written for other agents. */
  | { readonly type: 'hooks' }
  /** Complete configurations, by name. */
  | { readonly type: 'profiles' };

/** A reviewer in a configuration. */
export type ReviewerSetting =
  | false
  | { readonly model: string; readonly policy?: string; readonly mayAllow?: MayAllow }
  | { readonly command: readonly string[]; readonly mayAllow?: MayAllow };

/** Settings for hooks written for other agents, as they appear in a configuration. */
export interface HooksSetting {
  readonly onError?: 'ask' | 'deny';
}

/** A kind with numeric values. */
export type NumberKind = Extract<SettingKind, { readonly type: 'whole' | 'dollars' | 'duration' }>;

/** The type of the values that a kind accepts. */
export type ValueOf<Kind extends SettingKind> = Kind extends {
  readonly type: 'choice';
  readonly of: readonly (infer Choice)[];
}
  ? Choice
  : Kind extends { readonly type: 'switch' }
    ? boolean
    : Kind extends NumberKind
      ? number
      : Kind extends { readonly type: 'texts' }
        ? readonly string[]
        : Kind extends { readonly type: 'names' }
          ? Readonly<Record<string, string>>
          : Kind extends { readonly type: 'reviewer' }
            ? ReviewerSetting
            : Kind extends { readonly type: 'hooks' }
              ? HooksSetting
              : Kind extends { readonly type: 'rules' | 'objects' | 'profiles' }
                ? unknown
                : string;

/** A parsed value, or a description of the expected one, for example `must be on or off`. */
export type ReadValue<Value = string | number | boolean> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly expected: string };
