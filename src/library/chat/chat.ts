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

/** Options for sending a message to a chat. */
export interface SayOptions extends StopOptions {
  /**
   * Author of the message. The author becomes the requester, who cannot approve questions that exclude
   * requesters. Default: the previous author.
   */
  readonly by?: Actor;
  /** Parts to send in addition to the text, such as files. Default: none. */
  readonly attached?: readonly Part[];
}

/**
 * A saved conversation, created by `openChat`. If its store is durable, it outlives the process, and its
 * questions can wait indefinitely.
 */
export interface Chat extends AsyncDisposable {
  readonly id: SessionId;
  /** The open questions, oldest first. */
  readonly open: readonly Interrupt[];
  /** All messages, in the format that `generate` accepts. */
  readonly messages: readonly TranscriptMessage[];
  /** The full state, including usage, rules and decisions. */
  readonly runState: RunState;
  /**
   * Sends a message and runs until the model is done or a person is needed. When awaited or iterated, the run
   * throws OPEN_INTERRUPT if a question is open, SESSION_BUSY if another run is in progress, and any model
   * error.
   */
  say(text: string, options?: SayOptions): LiveRun;
  /**
   * Answers questions, and continues if none remain open: `chat.answer(answers.restart(question))`. All
   * answers are validated before any is applied. Throws ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, NOT_ELIGIBLE,
   * BAD_ANSWER, SESSION_BUSY.
   */
  answer(...answers: readonly Answer[]): LiveRun;
  /**
   * Continues without a new message, for example after a crash, after a failure, or after questions were
   * answered elsewhere.
   */
  resume(options?: StopOptions): LiveRun;
  /**
   * Returns the events after a given event: first those in the journal, then new ones until the chat stops.
   */
  events(options?: EventsOptions): AsyncIterable<LiveEvent>;
  /**
   * Releases the session so that others can open it. A run in progress stops as if the process had crashed,
   * and `resume` continues it.
   */
  close(): Promise<void>;
}

/** A chat that runs on an open session. */
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
    return new HitlError('OPEN_INTERRUPT', `answer the open questions first: ${ids}`, {
      hint: 'use `chat.answer(…)`; to cancel a question, answer with `answers.cancel(question)`',
    });
  }
}

/** @throws HitlError BAD_INPUT if the message is empty or not a string. */
function checkSaid(text: unknown, attached: readonly Part[]): void {
  const isText = typeof text === 'string';
  if (isText && isSendable({ role: 'user', content: [textPart(text), ...attached] })) return;
  throw new HitlError('BAD_INPUT', isText ? 'the message is empty' : 'a message must be a string');
}
