import { addUsage, escapeText, NO_USAGE, textOf, wrapWords } from '../core/index.js';
import type {
  Message,
  Renderer,
  RunEnd,
  RunState,
  SessionEvent,
  TransientEvent,
  Usage,
} from '../core/index.js';
import { Activity } from './activity.js';
import { MarkdownStream } from './markdown/stream.js';
import type { Output } from './output.js';
import { endNotice, endOutput } from './reply-text.js';
import { RunLines } from './run-lines.js';
import { Screen } from './screen.js';
import { NO_SPINNER } from './no-spinner.js';
import type { Spinner } from './no-spinner.js';
import { sourceLines } from './source-lines.js';
import type { Theme } from './theme.js';
import { formatUsage } from './usage-line.js';

export interface TerminalRendererOptions {
  /** Takes the model's text. */
  readonly stdout: Output;
  /** Takes everything else. */
  readonly stderr: Output;
  readonly theme: Theme;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: none. */
  readonly spinner?: Spinner;
  /** Only model text, failures and notices. Default: false. */
  readonly quiet?: boolean;
  /** Key that expands folded text: `Ctrl-O`. Default: none. */
  readonly unfold?: string;
  /** Ends a turn with a blank row. Default: false, for a single turn. */
  readonly spaced?: boolean;
  /** Calls back once at the end of a frame; model text is collected until then. Default: at once. */
  readonly afterFrame?: (draw: () => void) => void;
}

// Invariants:
// R1 Append-only: what was written is never redrawn; the only line that moves is the spinner's.
// R2 Of a reply that streamed, exactly what the durable message says is on the screen in the end, or a line says why not.
// R3 Text that came is shown when its frame is over at the latest, and before anything else is.

/** Precedes every row of model text: the screen's edge is reserved for hitl. */
const MARK = '  ';

/**
 * Shows a session on a terminal as it happens: streamed model text, a line per tool step, and long texts
 * folded until they are expanded.
 */
export class TerminalRenderer implements Renderer {
  readonly #theme: Theme;
  readonly #isQuiet: boolean;
  readonly #isSpaced: boolean;
  readonly #screen: Screen;
  readonly #activity: Activity;
  readonly #markdown: MarkdownStream;
  readonly #lines: RunLines;
  readonly #afterFrame: (draw: () => void) => void;
  /** Text of the reply that streams, so that the whole message can be compared with it (R2). */
  #streamed = '';
  /** The end of it that is not shown yet (R3). */
  #fresh = '';
  #isFrameOpen = false;
  #turnUsage: Usage = NO_USAGE;

  constructor(options: TerminalRendererOptions) {
    const {
      stdout,
      stderr,
      theme,
      now,
      spinner = NO_SPINNER,
      quiet = false,
      afterFrame = (draw: () => void) => {
        draw();
      },
      unfold,
      spaced = false,
    } = options;
    this.#theme = theme;
    this.#isQuiet = quiet;
    this.#isSpaced = spaced;
    this.#afterFrame = afterFrame;
    this.#screen = new Screen(stdout, stderr, spinner, MARK);
    this.#activity = new Activity(now);
    this.#markdown = new MarkdownStream(theme, () => this.#screen.textColumns - 1);
    this.#lines = new RunLines({
      theme,
      columns: () => this.#screen.columns,
      showsFailures: true,
      showsQuestions: false,
      now,
      ...(unfold !== undefined && { unfold }),
    });
  }

  event(event: SessionEvent, _seq: number, state: RunState): void {
    this.#showFresh();
    this.#activity.event(event, state);
    if (event.type === 'message-added' && event.message.role === 'model') {
      if (event.scope === undefined) this.#reply(event, event.message);
      else this.#spend(event);
    }
    if (event.type === 'run-ended' && event.scope === undefined) this.#runEnded(event.reason, state);
    if (!this.#isQuiet || event.type === 'run-ended') this.#write(this.#lines.of(event, state));
    this.#screen.wait(this.#activity.current());
  }

  transient(event: TransientEvent): void {
    this.#activity.transient(event);
    if (event.type === 'text-delta') {
      // Several nodes may speak at once: what they say is shown when it is whole.
      if (event.scope !== undefined) return;
      if (!this.#isQuiet) this.#write(this.#lines.beforeText(event));
      this.#collect(event.text);
      return;
    }
    this.#showFresh();
    // What is written next is no text: what was held back of it is shown first.
    if (event.type !== 'tool-progress') this.#screen.text(this.#markdown.end());
    if (event.type === 'restarted' && this.#streamed !== '') {
      this.#endReply();
      this.#warn('[reply interrupted; starting over]');
    }
    if (!this.#isQuiet) this.#write(this.#lines.transient(event));
    this.#screen.wait(this.#activity.current());
  }

  notice(text: string): void {
    this.#showFresh();
    this.#write(wrapWords(escapeText(text), this.#screen.columns - 1, '  ').map(this.#theme.dim));
    this.#screen.wait(this.#activity.current());
  }

  pause(): void {
    this.#showFresh();
    this.#screen.quiet();
    this.#screen.endText();
  }

  /** Expands the last folded text, once. */
  unfold(): void {
    this.#showFresh();
    const lines = this.#lines.unfolded();
    if (lines.length > 0) this.#screen.text(this.#markdown.end());
    this.#write(lines.map(this.#theme.dim));
  }

  stopped(state: RunState): void {
    this.#activity.clear();
    this.#showFresh();
    this.#endReply();
    this.pause();
    const turn = this.#turnUsage;
    this.#turnUsage = NO_USAGE;
    if (!this.#isQuiet && turn.inputTokens + turn.outputTokens > 0)
      this.#screen.line(this.#theme.dim(formatUsage(turn, state.usage)));
    if (this.#isSpaced) this.#screen.line('');
  }

  #collect(text: string): void {
    this.#streamed += text;
    this.#fresh += text;
    if (this.#isFrameOpen) return;
    this.#isFrameOpen = true;
    this.#afterFrame(() => {
      this.#isFrameOpen = false;
      this.#showFresh();
    });
  }

  #showFresh(): void {
    const text = this.#fresh;
    if (text === '') return;
    this.#fresh = '';
    this.#screen.text(this.#markdown.push(text));
  }

  #reply(event: SessionEvent & { type: 'message-added' }, message: Message): void {
    this.#showRest(message);
    if (!this.#isQuiet) this.#write(sourceLines(message, this.#theme));
    this.#spend(event);
    const notice = event.end === undefined ? '' : endNotice(event.end, event.refusal);
    if (notice !== '') for (const row of wrapWords(notice, this.#screen.columns - 1, '  ')) this.#warn(row);
  }

  #spend({ usage }: SessionEvent & { type: 'message-added' }): void {
    if (usage !== undefined) this.#turnUsage = addUsage(this.#turnUsage, usage);
  }

  #runEnded(reason: RunEnd, state: RunState): void {
    this.#endReply();
    const output = endOutput(reason, state);
    if (output === undefined) return;
    this.#screen.text(this.#markdown.push(output));
    this.#endReply();
  }

  /** Shows the part of a message that was not streamed (R2). */
  #showRest(message: Message): void {
    const text = textOf(message);
    if (text.startsWith(this.#streamed)) {
      this.#screen.text(this.#markdown.push(text.slice(this.#streamed.length)));
    } else {
      this.#endReply();
      this.#warn('[the final reply differs from the text above]');
      this.#screen.text(this.#markdown.push(text));
    }
    this.#endReply();
  }

  #endReply(): void {
    this.#screen.text(this.#markdown.end());
    this.#screen.endText();
    this.#streamed = '';
  }

  #write(lines: readonly string[]): void {
    for (const line of lines) this.#screen.line(line);
  }

  #warn(text: string): void {
    this.#screen.line(this.#theme.warning(text));
  }
}
