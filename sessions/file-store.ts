import type {
  Clock,
  EventTail,
  Answer,
  AnswerFate,
  Deliveries,
  FileCopies,
  OutputStore,
  Posted,
  PostOptions,
  RemoveOptions,
  SessionCopying,
  SessionDoctor,
  SessionId,
  SessionInit,
  SessionMail,
  SessionQuery,
  SessionStore,
  SessionSummary,
  StoreCapabilities,
  StoreChange,
  WaitingItem,
  WaitingQuery,
} from '../src/core/index.js';
import { checkSessionId } from '../src/core/index.js';
import { unreadable } from './disk/errno.js';
import { fileCopy, keepFileCopy } from './folder/file-copies.js';
import { digestOfOutput, fileBeside, keepOutput } from './folder/keep-output.js';
import { sessionFolder } from './folder/session-folder.js';
import { storeContext } from './folder/store-options.js';
import type { FileStoreOptions, StoreContext } from './folder/store-options.js';
import { FileDeliveries } from './file-deliveries.js';
import { fateOfAnswer, postAnswer } from './inbox/post-answer.js';
import { inboxFile } from './inbox/inbox-file.js';
import { MessageQueue } from './inbox/message-queue.js';
import type { InboxPlace } from './inbox/inbox-place.js';
import { tailJournal } from './journal/tail-journal.js';
import { forgetRemoved } from './listing/waiting-index.js';
import { listSessions } from './listing/list-sessions.js';
import { listWaiting } from './listing/list-waiting.js';
import { resolveId } from './listing/resolve-id.js';
import { selectSessions } from './listing/select-sessions.js';
import { selectWaiting } from './listing/select-waiting.js';
import { sessionIds, wholeId } from './listing/session-ids.js';
import { surveyStore } from './listing/survey-store.js';
import { watchSessions } from './listing/watch-sessions.js';
import { createSession } from './opening/create-session.js';
import { examineSession, ownerOf } from './opening/examine-session.js';
import { giveSession, takeSession } from './opening/copy-session.js';
import { openToRead, openToWrite, readSession } from './opening/open-session.js';
import { removeSession } from './opening/remove-session.js';
import { repairSession } from './opening/repair-session.js';
import { rewriteSession } from './opening/rewrite-session.js';
import { salvageSession } from './opening/salvage-session.js';
import type { FileSession } from './opening/file-session.js';

/** A store that keeps sessions as folders on disk. */
export class FileStore implements SessionStore {
  readonly #context: StoreContext;
  readonly clock: Clock;
  readonly capabilities: StoreCapabilities & {
    readonly doctor: SessionDoctor;
    readonly outputs: OutputStore;
    readonly files: FileCopies;
    readonly copying: SessionCopying;
    readonly deliveries: Deliveries;
  };

  constructor(context: StoreContext) {
    this.#context = context;
    this.clock = context.clock;
    this.capabilities = {
      shared: true,
      durable: true,
      doctor: doctorOf(context),
      outputs: outputsOf(context),
      files: {
        keep: async (id, bytes, sha256) => keepFileCopy(context, checkSessionId(id), bytes, sha256),
        read: async (id, sha256) => fileCopy(context, checkSessionId(id), sha256),
      },
      copying: {
        give: async (id) => giveSession(context, checkSessionId(id)),
        take: async (copy) => takeSession(context, copy),
      },
      deliveries: new FileDeliveries(context, () => this.waiting()),
      signs: context.signs,
    };
  }

  async create(init: SessionInit): Promise<FileSession> {
    return createSession(this.#context, init);
  }

  async open(id: SessionId, mode: 'read' | 'write'): Promise<FileSession> {
    const checked = checkSessionId(id);
    return mode === 'read' ? openToRead(this.#context, checked) : openToWrite(this.#context, checked);
  }

  tail(id: SessionId): EventTail {
    return tailJournal(this.#context, sessionFolder(this.#context.root, checkSessionId(id)));
  }

  async resolve(text: string): Promise<SessionId> {
    return wholeId(this.#context, text) ?? resolveId(text, () => sessionIds(this.#context));
  }

  async *list(query: SessionQuery = {}): AsyncGenerator<SessionSummary> {
    yield* selectSessions(listSessions(this.#context), query);
  }

  async listCount(query: SessionQuery = {}): Promise<number> {
    return [...selectSessions(listSessions(this.#context), { ...query, limit: Infinity })].length;
  }

  /**
   * Whether a process has the session open for writing, according to its lock file. @throws HitlError
   * SESSION_UNREADABLE
   */
  async isWritten(id: SessionId): Promise<boolean> {
    const folder = sessionFolder(this.#context.root, checkSessionId(id));
    try {
      return ownerOf(this.#context, folder)?.isAlive === true;
    } catch (error) {
      throw unreadable(`session ${id}`, error);
    }
  }

  async remove(id: SessionId, options: RemoveOptions = {}): Promise<void> {
    const forget = (): void => {
      forgetRemoved(this.#context);
    };
    await removeSession(this.#context, checkSessionId(id), { ...options, forget });
  }

  async *waiting(query: WaitingQuery = {}): AsyncGenerator<WaitingItem> {
    yield* selectWaiting(listWaiting(this.#context), query);
  }

  async waitingCount(query: WaitingQuery = {}): Promise<number> {
    return [...selectWaiting(listWaiting(this.#context), query)].length;
  }

  async post(id: SessionId, answer: Answer, options: PostOptions = {}): Promise<Posted> {
    return postAnswer(this.#inboxOf(id), answer, options, () => openToWrite(this.#context, id));
  }

  async fate(posted: Posted, signal: AbortSignal): Promise<AnswerFate> {
    return fateOfAnswer(this.#inboxOf(posted.session), posted, signal);
  }

  mail(id: SessionId): SessionMail {
    return new MessageQueue(this.#inboxOf(id));
  }

  watch(signal: AbortSignal): AsyncIterable<StoreChange> {
    return watchSessions(() => listSessions(this.#context), this.#context.clock, signal);
  }

  #inboxOf(id: SessionId): InboxPlace {
    const folder = sessionFolder(this.#context.root, checkSessionId(id));
    return inboxFile(this.#context, folder, () => readSession(this.#context, checkSessionId(id)).tip);
  }
}

function doctorOf(context: StoreContext): SessionDoctor {
  return {
    examine: async (id) => examineSession(context, checkSessionId(id)),
    repair: async (id) => repairSession(context, checkSessionId(id)),
    rewrite: async (id) => rewriteSession(context, checkSessionId(id)),
    salvage: async (id) => salvageSession(context, checkSessionId(id)),
    survey: async () => surveyStore(context),
  };
}

function outputsOf(context: StoreContext): OutputStore {
  return {
    keep: async (id, text, sha256) => keepOutput(context, checkSessionId(id), text, sha256),
    digest: async (id, name) => digestOfOutput(context, checkSessionId(id), name),
    fileBeside: (id, name) => fileBeside(context, checkSessionId(id), name),
  };
}

/**
 * Creates a store that keeps sessions as folders under `options.root`. Does not read or create anything until
 * it is first used.
 */
export function createFileStore(options: FileStoreOptions): FileStore {
  return new FileStore(storeContext(options));
}
