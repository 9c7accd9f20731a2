import type { SettingKind } from './kind.js';

/** Commands that read settings. `config list` and `config get` show the settings of the other commands. */
export type ReadingCommand =
  | 'chat'
  | 'acp'
  | 'resume'
  | 'rerun'
  | 'skip'
  | 'run'
  | 'tick'
  | 'worker'
  | 'answer'
  | 'tools'
  | 'models'
  | 'rules add'
  | 'rules test'
  | 'serve'
  | 'config list'
  | 'config get';

/**
 * Who may set the value in a configuration file. `anyone`: a trusted project too. `narrower`: a project, but
 * only if its value is stricter than the user's. `you`: only the user's own configuration. Enforced by
 * `commands/config/law.ts`.
 */
export type FileLaw = 'anyone' | 'narrower' | 'you';

/** One row of the settings table. */
export interface SettingRow {
  /** One-line description, as in the help. */
  readonly about: string;
  readonly kind: SettingKind;
  /** Default value. If absent, see `otherwise`. */
  readonly default?: string | number | boolean | readonly string[];
  /** Description of the default behavior, if there is no default value. */
  readonly otherwise?: string;
  /** In commander's syntax. */
  readonly flag?: string;
  /** Environment variables. The first one that is not empty applies. */
  readonly variables?: readonly string[];
  /** Descriptions of variables that do not do what `about` says. */
  readonly variableAbout?: Readonly<Record<string, string>>;
  /** Who may set the value in a configuration. If absent, no one may. */
  readonly file?: FileLaw;
  /** Commands that read the flag's value. If absent, every command. */
  readonly reads?: readonly ReadingCommand[];
}
