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

/** The options of a message to a chat. */
export interface SayOptions extends StopOptions {
  /** The author: a requester, who cannot approve questions that exclude requesters. Default: the earlier one. */
  readonly by?: Actor;
  /** Parts attached to the text, such as files. Default: none. */
  readonly attached?: readonly Part[];
}

/**
 * A saved conversation: it outlives the process if its store does, and its questions wait indefinitely. Created by
 * `openChat`.
 */
export interface Chat extends AsyncDisposable {
  readonly id: SessionId;
  /** The open questions, oldest first. */
  readonly open: readonly Interrupt[];
  /** All messages, in the form that `generate` accepts. */
  readonly messages: readonly TranscriptMessage[];
  /** The whole state: usage, rules, decisions. */
  readonly runState: RunState;
  /**
   * Sends a message and runs until the model is done or a person is needed. When awaited or read, it throws
   * OPEN_INTERRUPT if a question is open, SESSION_BUSY during a run, and the model's errors.
   */
  say(text: string, options?: SayOptions): LiveRun;
  /**
   * Answers questions and continues if none remains open: `chat.answer(answers.restart(question))`. All answers are
   * validated first. Throws ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, NOT_ELIGIBLE, BAD_ANSWER, SESSION_BUSY.
   */
  answer(...answers: readonly Answer[]): LiveRun;
  /** Continues after a crash, a failure, or answers from elsewhere, without a new message. */
  resume(options?: StopOptions): LiveRun;
  /** Returns the events after a given one from the journal, then new ones until the chat stops. */
  events(options?: EventsOptions): AsyncIterable<LiveEvent>;
  /** Releases the session for others. A run in progress ends as in a crash; `resume` continues it. */
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
    return new HitlError('OPEN_INTERRUPT', `answer the open questions first: ${ids}`, {
      hint: 'answer them first: `chat.answer(…)`; `answers.cancel(question)` is an answer, too',
    });
  }
}

/** @throws HitlError BAD_INPUT for an empty or non-string message. */
function checkSaid(text: unknown, attached: readonly Part[]): void {
  const isText = typeof text === 'string';
  if (isText && isSendable({ role: 'user', content: [textPart(text), ...attached] })) return;
  throw new HitlError('BAD_INPUT', isText ? 'the message is empty' : 'a message must be a string');
}
