import type { SettingKind } from './kind.js';

/** Commands that read settings. `config list` and `config get` tell what the others would have. */
export type ReadingCommand =
  | 'chat'
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
