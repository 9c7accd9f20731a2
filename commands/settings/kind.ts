import type { MayAllow } from '../../src/core/index.js';

/** The kind of the value of a setting. The same kind reads a flag, a variable and a key of a file. */
export type SettingKind =
  | { readonly type: 'text' }
  | { readonly type: 'url' }
  /** On or off. */
  | { readonly type: 'switch' }
  | { readonly type: 'whole'; readonly min: number; readonly max: number }
  | { readonly type: 'dollars' }
  /** Kept in milliseconds. */
  | { readonly type: 'duration' }
  /** From the most permissive to the strictest, if ordered. */
  | { readonly type: 'choice'; readonly of: readonly [string, ...string[]] }
  /** Strings, one after the other. */
  | { readonly type: 'texts' }
  /** Strings by name. */
  | { readonly type: 'names' }
  /** Lists of rules by effect. An unreadable rule asks instead of failing. */
  | { readonly type: 'rules' }
  /** Objects by name, parsed by their users. */
  | { readonly type: 'objects'; readonly of: 'servers' | 'channels' }
  /** Who is asked before a person: a model or a command; `false`: nobody. */
  | { readonly type: 'reviewer' }
  /** How hooks of other agents decide. */
  | { readonly type: 'hooks' }
  /** Whole configurations by name. */
  | { readonly type: 'profiles' };

/** A reviewer in a configuration. */
export type ReviewerSetting =
  | false
  | { readonly model: string; readonly policy?: string; readonly mayAllow?: MayAllow }
  | { readonly command: readonly string[]; readonly mayAllow?: MayAllow };

/** How hooks of other agents decide, in a configuration. */
export interface HooksSetting {
  readonly onError?: 'ask' | 'deny';
}

/** A kind with numeric values. */
export type NumberKind = Extract<SettingKind, { readonly type: 'whole' | 'dollars' | 'duration' }>;

/** The type of the values of a kind. */
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

/** A parsed value, or what was expected: `must be on or off`. */
export type ReadValue<Value = string | number | boolean> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly expected: string };
