import type { SettingKind } from './kind.js';

/** Commands that read settings. `config list` and `config get` show those of the others. */
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
 * Who may set it in a file. `anyone`: also a trusted project. `narrower`: a project only if it is stricter
 * than yours. `you`: only your own configuration. Enforced by `commands/config/law.ts`.
 */
export type FileLaw = 'anyone' | 'narrower' | 'you';

/** One row of the table. */
export interface SettingRow {
  /** One line, as in the help. */
  readonly about: string;
  readonly kind: SettingKind;
  /** Default value; absent: see `otherwise`. */
  readonly default?: string | number | boolean | readonly string[];
  /** Describes the default behaviour. */
  readonly otherwise?: string;
  /** In commander's syntax. */
  readonly flag?: string;
  /** Environment variables; the first non-empty one applies. */
  readonly variables?: readonly string[];
  /** Absent: not allowed in a configuration. */
  readonly file?: FileLaw;
  /** Commands that read the flag's value; absent: every command. */
  readonly reads?: readonly ReadingCommand[];
}
