import type {
  Actor,
  Answer,
  Interrupt,
  LiveEvent,
  Part,
  RunState,
  SessionId,
  TranscriptMessage,
} from '../../core/index.js';
import { HitlError, isSendable, textPart, transcriptMessages } from '../../core/index.js';
import type { Rest } from '../../repl/index.js';
import { userMessage } from '../../repl/index.js';
import type { EventsOptions, LiveSessionOptions, StopOptions } from '../live/live-session.js';
import type { LiveRun } from '../live/live-run.js';
import { HeldSession } from '../live/held-session.js';
import { LiveSession } from '../live/live-session.js';

/** The options of one message to a chat: its signal, files, and who says it. */
export interface SayOptions extends StopOptions {
  /** Whoever says it: of a question that is not for those who asked they agree to nothing. Default: nobody else than before. */
  readonly by?: Actor;
  /** The parts that go with the text: files that it names. Default: none. */
  readonly attached?: readonly Part[];
}

/**
 * A conversation that is kept: it outlives the process where its store does, and its questions wait for as long as it
 * takes. Made by `openChat`.
 */
export interface Chat extends AsyncDisposable {
  readonly id: SessionId;
  /** The questions that wait, in the order in which they were asked. */
  readonly open: readonly Interrupt[];
  /** Everything that was said, in the shape that `generate` takes. */
  readonly messages: readonly TranscriptMessage[];
  /** The whole state: usage, rules, what was decided. */
  readonly runState: RunState;
  /**
   * Says something, and runs until the model is done or a person is needed. It throws, as it is awaited or read,
   * OPEN_INTERRUPT where a question waits, SESSION_BUSY while something runs, and what the model failed with.
   */
  say(text: string, options?: SayOptions): LiveRun;
  /**
   * Answers questions, and goes on where nothing else waits: `chat.answer(answers.restart(question))`. All are looked
   * at before any counts. It throws ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, NOT_ELIGIBLE, BAD_ANSWER, SESSION_BUSY.
   */
  answer(...answers: readonly Answer[]): LiveRun;
  /** Goes on with what is left to do: after a crash, a failure, or answers from elsewhere. Asks nothing new of the model. */
  resume(options?: StopOptions): LiveRun;
  /** The events behind the one that is named, from the journal, and then those that happen until the chat rests. */
  events(options?: EventsOptions): AsyncIterable<LiveEvent>;
  /** Gives the session back, for others to open. What still runs is left as a crash leaves it; `resume` goes on. */
  close(): Promise<void>;
}

/** A chat on an open session. */
export class SessionChat extends HeldSession implements Chat {
  readonly #live: LiveSession;
  readonly #open: LiveSessionOptions;

  constructor(options: LiveSessionOptions) {
    const live = new LiveSession(options);
    super(live);
    this.#open = options;
    this.#live = live;
  }

  get messages(): readonly TranscriptMessage[] {
    return transcriptMessages(this.runState);
  }

  say(text: string, { attached = [], signal, by }: SayOptions = {}): LiveRun {
    const { session } = this.#open;
    return this.#live.begin(
      async ({ goOn }) => {
        checkSaid(text, attached);
        if (this.runState.open !== undefined && this.open.length === 0) await goOn(); // a crash was in between
        if (this.open.length > 0 || this.runState.open !== undefined) throw this.#waits();
        return goOn([userMessage({ text, attached }, session.state, by)]);
      },
      { ...(signal && { signal }) },
    );
  }

  resume(options?: StopOptions): LiveRun {
    return this.#live.begin(({ goOn }): Promise<Rest> => goOn(), options);
  }

  #waits(): HitlError {
    const ids = this.open.map(({ id }) => id).join(', ');
    return new HitlError('OPEN_INTERRUPT', `nothing can be said while questions wait: ${ids}`, {
      hint: 'answer them first: `chat.answer(…)`; `answers.cancel(question)` is an answer, too',
    });
  }
}

/** @throws HitlError BAD_INPUT where nothing is said, or what is said is no text. */
function checkSaid(text: unknown, attached: readonly Part[]): void {
  const isText = typeof text === 'string';
  if (isText && isSendable({ role: 'user', content: [textPart(text), ...attached] })) return;
  throw new HitlError('BAD_INPUT', isText ? 'nothing was said' : 'what is said must be a text');
}
