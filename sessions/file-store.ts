import type {
  Answer,
  InterruptId,
  ResolvedInterrupt,
  Session,
  SessionId,
  SessionInit,
  SessionStore,
  SessionSummary,
} from '../src/core/index.js';
import { HitlError } from '../src/core/index.js';
import {
  AnswerInbox,
  fateOfAnswer,
  MessageInbox,
  MessageQueue,
  postAnswer,
  waitForResolution,
} from './inbox/index.js';
import {
  createSession,
  examineSession,
  openToRead,
  openToWrite,
  ownerOf,
  removeSession,
  repairSession,
  salvageSession,
} from './opening/index.js';
import type { FileSession, Salvage, SessionExamination, SessionRepair } from './opening/index.js';
import { unreadable } from './disk/index.js';
import { checkSessionId, keepOutput, sessionFolder, storeContext } from './folder/index.js';
import { listSessions, resolveId, tidyStore } from './listing/index.js';
import type { AnswerFate, AnswerReceipt } from './inbox/index.js';
import type { FileStoreOptions, StoreContext } from './folder/index.js';

/** Sessions as folders on disk. */
export class FileStore implements SessionStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async create(init: SessionInit): Promise<FileSession> {
    return createSession(this.#context, init);
  }

  async open(id: SessionId, mode: 'read' | 'write'): Promise<FileSession> {
    const checked = checkSessionId(id);
    return mode === 'read' ? openToRead(this.#context, checked) : openToWrite(this.#context, checked);
  }

  /**
   * The session that an id, or the beginning of one, names.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, SESSION_ID, each with what to do
   */
  resolveId(text: string): SessionId {
    return resolveId(this.#context, text);
  }

  /**
   * The session that changed last, of those that can be read.
   * @throws HitlError SESSION_NOT_FOUND where there is none
   */
  latest(): SessionId {
    const newest = listSessions(this.#context).find(({ status }) => status !== 'unreadable');
    if (newest !== undefined) return newest.id;
    throw new HitlError('SESSION_NOT_FOUND', 'there is no session yet', { hint: 'begin one: hitl chat' });
  }

  /** What is known of a session's files; whatever is wrong is in the result and not thrown. Changes nothing. */
  examine(id: SessionId): SessionExamination {
    return examineSession(this.#context, checkSessionId(id));
  }

  /**
   * True where a process has a session open for writing now, as its lock file says. Nothing else is looked at.
   * @throws HitlError SESSION_UNREADABLE
   */
  isRunning(id: SessionId): boolean {
    const folder = sessionFolder(this.#context.root, checkSessionId(id));
    try {
      return ownerOf(this.#context, folder)?.isAlive === true;
    } catch (error) {
      throw unreadable(`session ${id}`, error);
    }
  }

  /**
   * Mends what can be mended without losing anything.
   * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED
   */
  async repair(id: SessionId): Promise<SessionRepair> {
    return repairSession(this.#context, checkSessionId(id));
  }

  /**
   * Copies the good records of a damaged session to a new one; the original stays as it is.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED where not one record is good, SAVE_FAILED, USAGE
   */
  async salvage(id: SessionId): Promise<Salvage> {
    return salvageSession(this.#context, checkSessionId(id));
  }

  /** Removes what processes that died left in the folder of all sessions. @returns their names */
  tidy(): readonly string[] {
    return tidyStore(this.#context);
  }

  /**
   * Keeps an output of a tool that is too large for the journal, durably; the name of its file in the session's folder.
   * @throws HitlError SAVE_FAILED, SESSION_UNSAFE
   */
  async keepOutput(id: SessionId, text: string, sha256: string): Promise<string> {
    return keepOutput(this.#context, checkSessionId(id), text, sha256);
  }

  /** Answers that other processes left for a session that is open for writing here. */
  answersFor(session: Session): AnswerInbox {
    const folder = sessionFolder(this.#context.root, session.id);
    return new AnswerInbox(this.#context, folder, () => session.state);
  }

  /**
   * Leaves an answer for whoever writes a session, now or later; durable when it resolves.
   * @throws HitlError ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, BAD_ANSWER, SAVE_FAILED, SESSION_NOT_FOUND
   */
  async postAnswer(id: SessionId, answer: Answer, signal: AbortSignal): Promise<AnswerReceipt> {
    return postAnswer(this.#context, checkSessionId(id), answer, signal);
  }

  /** Waits until a posted answer was used or refused. Rejects with the signal's reason when it aborts. */
  async fateOfAnswer(posted: AnswerReceipt, signal: AbortSignal): Promise<AnswerFate> {
    return fateOfAnswer(this.#context, posted, signal);
  }

  /** Waits until an interrupt of a session is answered. Rejects with the signal's reason when it aborts. */
  async waitForResolution(
    id: SessionId,
    interrupt: InterruptId,
    signal: AbortSignal,
  ): Promise<ResolvedInterrupt> {
    return waitForResolution(this.#context, checkSessionId(id), interrupt, signal);
  }

  /** The messages of a session, for whoever sends them or looks at them. Nothing is read before it is asked for. */
  messages(id: SessionId): MessageQueue {
    return new MessageQueue(this.#context, sessionFolder(this.#context.root, checkSessionId(id)));
  }

  /** The messages of a session that is open for writing here; one object for as long as it is open. */
  messagesFor(session: Session): MessageInbox {
    const folder = sessionFolder(this.#context.root, session.id);
    return new MessageInbox(this.#context, folder, () => session.state);
  }

  async *list(): AsyncIterable<SessionSummary> {
    yield* listSessions(this.#context);
  }

  async remove(id: SessionId): Promise<void> {
    await removeSession(this.#context, checkSessionId(id));
  }
}

/** A store of sessions as folders under `options.root`. Nothing is read or made before it is asked for. */
export function createFileStore(options: FileStoreOptions): FileStore {
  return new FileStore(storeContext(options));
}
