import { addUsage, escapeText, NO_USAGE, readableTextOf, toolRequestsOf, wrapWords } from '../core/index.js';
import type { Renderer, RunState, SessionEvent, TransientEvent, Usage } from '../core/index.js';
import { Activity } from './activity.js';
import type { Output } from './output.js';
import { endNotice, endOutput } from './reply-text.js';
import { RunLines } from './run-lines.js';
import { safeText } from './safe-text.js';
import { Screen } from './screen.js';
import { NO_SPINNER } from './no-spinner.js';
import type { Spinner } from './no-spinner.js';
import type { Theme } from './theme.js';
import { formatUsage } from './usage-line.js';

export interface TextRendererOptions {
  /** Receives only the final model text of each turn. */
  readonly stdout: Output;
  /** Receives progress lines. */
  readonly stderr: Output;
  /** Styles for stderr. Text on stdout is never colored. */
  readonly theme: Theme;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: none. */
  readonly spinner?: Spinner;
  /** Whether to omit progress lines. Default: false. */
  readonly quiet?: boolean;
  /** Whether to show why a run failed. Default: false, because the caller reports it. */
  readonly failures?: boolean;
  /** Whether to add usage and cost after each turn. Default false. */
  readonly verbose?: boolean;
}

/** Shows a session to a script: final texts on stdout, and plain lines for each step on stderr. */
export class TextRenderer implements Renderer {
  readonly #options: TextRendererOptions;
  readonly #screen: Screen;
  readonly #activity: Activity;
  readonly #lines: RunLines;
  #turnUsage: Usage = NO_USAGE;

  constructor(options: TextRendererOptions) {
    const { stdout, stderr, theme, now, spinner = NO_SPINNER, quiet = false, failures = false } = options;
    this.#options = options;
    this.#screen = new Screen(stdout, stderr, quiet ? NO_SPINNER : spinner);
    this.#activity = new Activity(now);
    this.#lines = new RunLines({
      theme,
      columns: () => this.#screen.columns,
      showsFailures: failures,
      showsQuestions: true,
      lastAbout: () => this.#screen.about,
    });
  }

  event(event: SessionEvent, _seq: number, state: RunState): void {
    this.#activity.event(event, state);
    if (event.type === 'message-added' && event.message.role === 'model') this.#reply(event);
    if (event.type === 'run-ended' && event.scope === undefined)
      this.#final(endOutput(event.reason, state) ?? '');
    const lines = this.#lines.of(event, state);
    if (event.type === 'run-ended' && event.reason.type === 'failed') this.#tell(lines);
    else this.#say(lines, this.#lines.about);
    this.#screen.wait(this.#activity.current());
  }

  transient(event: TransientEvent): void {
    // Text that streams is not shown before it is final: the wait goes on.
    if (event.type !== 'text-delta') this.#activity.transient(event);
    this.#say(this.#lines.transient(event));
    this.#screen.wait(this.#activity.current());
  }

  notice(text: string): void {
    this.#screen.line(escapeText(text));
    this.#screen.wait(this.#activity.current());
  }

  pause(): void {
    this.#screen.quiet();
  }

  stopped(state: RunState): void {
    this.#activity.clear();
    this.#screen.quiet();
    const turn = this.#turnUsage;
    this.#turnUsage = NO_USAGE;
    if (this.#options.verbose === true && turn.inputTokens + turn.outputTokens > 0) {
      this.#say([this.#options.theme.dim(formatUsage(turn, state.usage))]);
    }
  }

  #reply(event: SessionEvent & { type: 'message-added' }): void {
    if (event.usage !== undefined) this.#turnUsage = addUsage(this.#turnUsage, event.usage);
    // Text before tool calls is not the final one. The state may hold later events of the same batch already.
    if (toolRequestsOf(event.message).length === 0 && event.scope === undefined)
      this.#final(readableTextOf(event.message));
    const notice = event.end === undefined ? '' : endNotice(event.end, event.refusal);
    if (notice === '') return;
    const rows = wrapWords(notice, this.#screen.columns - 1, '  ');
    this.#tell(rows.map(this.#options.theme.warning));
  }

  #final(final: string): void {
    const text = safeText(final, '\t');
    if (text !== '') this.#screen.text(text.endsWith('\n') ? text : `${text}\n`);
  }

  #say(lines: readonly string[], about?: string): void {
    if (this.#options.quiet !== true) this.#tell(lines, about);
  }

  #tell(lines: readonly string[], about?: string): void {
    for (const line of lines) this.#screen.line(line, about);
  }
}
