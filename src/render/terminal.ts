import { escapeText, textOf, wrapWords } from '../core/index.js';
import type {
  LastLine,
  Message,
  Renderer,
  RunEnd,
  RunState,
  SessionEvent,
  TransientEvent,
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

export interface TerminalRendererOptions {
  /** Receives the model's text. */
  readonly stdout: Output;
  /** Takes everything else. */
  readonly stderr: Output;
  readonly theme: Theme;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: none. */
  readonly spinner?: Spinner;
  /** Whether to show only model text, failures and notices. Default: false. */
  readonly quiet?: boolean;
  /** The key that shows shortened texts, for example `Ctrl-O`. Default: none. */
  readonly unfold?: string;
  /** The last line of the screen. Required if other code writes to the screen too. */
  readonly lastLine?: LastLine;
  /**
   * Whether to add a blank row after each turn and between text and other lines. Default: false, which suits
   * a single turn.
   */
  readonly spaced?: boolean;
  /**
   * Calls `draw` once at the end of a frame; model text is collected until then. Default: calls it
   * immediately.
   */
  readonly afterFrame?: (draw: () => void) => void;
}

// Invariants:
// R1 Append-only: what was written is never redrawn; the only line that moves is the spinner's.
// R2 Of a reply that streamed, exactly what the durable message says is on the screen in the end, or a line says why not.
// R3 Text that came is shown when its frame is over at the latest, and before anything else is.

/** Precedes every row of model text, because the left edge of the screen is reserved for hitl. */
const MARK = '  ';

/**
 * Shows a session on a terminal as it happens: model text as it streams, one line for each step of a tool,
 * and a few lines of each long text.
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
  /** Streamed text of the current reply, to compare with the complete message (R2). */
  #streamed = '';
  /** The part of the streamed text that is not shown yet (R3). */
  #fresh = '';
  #isFrameOpen = false;

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
      lastLine,
    } = options;
    this.#theme = theme;
    this.#isQuiet = quiet;
    this.#isSpaced = spaced;
    this.#afterFrame = afterFrame;
    this.#screen = new Screen(stdout, stderr, spinner, { mark: MARK, spaced, ...(lastLine && { lastLine }) });
    this.#activity = new Activity(now);
    this.#markdown = new MarkdownStream(theme, () => this.#screen.textColumns - 1);
    this.#lines = new RunLines({
      theme,
      columns: () => this.#screen.columns,
      showsFailures: true,
      showsQuestions: false,
      now,
      lastAbout: () => this.#screen.about,
      ...(unfold !== undefined && { unfold }),
    });
  }

  event(event: SessionEvent, _seq: number, state: RunState): void {
    this.#showFresh();
    this.#activity.event(event, state);
    if (event.type === 'message-added' && event.message.role === 'model' && event.scope === undefined)
      this.#reply(event, event.message);
    if (event.type === 'run-ended' && event.scope === undefined) this.#runEnded(event.reason, state);
    if (!this.#isQuiet || event.type === 'run-ended')
      this.#block(this.#lines.of(event, state), this.#lines.about);
    this.#wait();
  }

  transient(event: TransientEvent): void {
    this.#activity.transient(event);
    if (event.type === 'text-delta') {
      // Several nodes may speak at once: what they say is shown when it is whole.
      if (event.scope !== undefined) return;
      if (!this.#isQuiet) this.#block(this.#lines.beforeText(event));
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
    if (!this.#isQuiet) this.#block(this.#lines.transient(event), this.#lines.about);
    this.#wait();
  }

  notice(text: string): void {
    this.#showFresh();
    this.#write([
      ...this.#pending(),
      ...wrapWords(escapeText(text), this.#screen.columns - 1, '  ').map(this.#theme.dim),
    ]);
    this.#wait();
  }

  pause(): void {
    this.#yield();
    this.#screen.apart();
    this.#screen.quiet();
  }

  #yield(): void {
    this.#showFresh();
    this.#block(this.#pending());
    this.#screen.endText();
  }

  /**
   * Returns the full text of everything that was shortened, newest first, in rows that fit the width. Empty
   * if nothing was shortened.
   */
  foldRows(columns: number): readonly string[] {
    return this.#lines.folds.rows(this.#theme, columns);
  }

  stopped(_state: RunState): void {
    this.#activity.clear();
    this.#showFresh();
    this.#endReply();
    this.#yield();
    if (this.#isSpaced) this.#screen.line('');
    this.#screen.quiet();
    this.#screen.endTurn();
  }

  /** Returns the lines held back, which must be shown before other output. */
  #pending(): readonly string[] {
    return this.#isQuiet ? [] : this.#lines.pending();
  }

  #wait(): void {
    this.#screen.wait(this.#activity.current(), this.#isQuiet ? [] : this.#lines.held);
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
    if (this.#screen.isSplit) this.#wait();
  }

  #reply(event: SessionEvent & { type: 'message-added' }, message: Message): void {
    this.#showRest(message);
    if (!this.#isQuiet) this.#write(sourceLines(message, this.#theme));
    const notice = event.end === undefined ? '' : endNotice(event.end, event.refusal);
    if (notice !== '') for (const row of wrapWords(notice, this.#screen.columns - 1, '  ')) this.#warn(row);
  }

  #runEnded(reason: RunEnd, state: RunState): void {
    this.#endReply();
    const output = endOutput(reason, state);
    if (output === undefined) return;
    this.#block(this.#pending());
    this.#screen.text(this.#markdown.push(output));
    this.#endReply();
  }

  /** Shows the part of a message that was not streamed (R2). */
  #showRest(message: Message): void {
    const text = textOf(message);
    if (text !== '') this.#block(this.#pending());
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

  /** Writes lines, preceded by a blank row if there is text above. */
  #block(lines: readonly string[], about?: string): void {
    if (lines.length > 0) this.#screen.apart();
    this.#write(lines, about);
  }

  /** Writes lines. `about` is the call whose decision or start the last line shows. */
  #write(lines: readonly string[], about?: string): void {
    for (const line of lines) this.#screen.line(line, about);
  }

  #warn(text: string): void {
    this.#screen.line(this.#theme.warning(text));
  }
}
