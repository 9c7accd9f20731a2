import type { Clock } from '../../core/index.js';
import type { TerminalDevice } from '../device/device.js';
import type { TerminalTheme } from '../device/theme.js';
import type { LineHistory } from '../line-editor/history.js';

/** The things that the line of a person is drawn with, and who hears its keys. */
export interface ComposerOptions {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly theme: TerminalTheme;
  readonly history?: LineHistory;
  /** Default `> `. */
  readonly prompt?: string;
  /** Esc while something runs. */
  readonly onStop?: () => void;
  /** Ctrl-C while something runs. */
  readonly onInterrupt?: () => void;
  /** The row under the line, from left to right; the right parts give way first. */
  readonly status?: () => readonly string[];
}
