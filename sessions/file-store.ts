import type {
  Clock,
  EventTail,
  Answer,
  AnswerFate,
  Deliveries,
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
import { unreadable } from './disk/index.js';
import { digestOfOutput, fileBeside, keepOutput, sessionFolder, storeContext } from './folder/index.js';
import type { FileStoreOptions, StoreContext } from './folder/index.js';
import { fileDeliveries } from './deliveries/index.js';
import { fateOfAnswer, inboxFile, MessageQueue, postAnswer } from './inbox/index.js';
import type { InboxPlace } from './inbox/index.js';
import { tailJournal } from './journal/index.js';
import {
  forgetRemoved,
  listSessions,
  listWaiting,
  resolveId,
  selectSessions,
  selectWaiting,
  sessionIds,
  surveyStore,
  watchSessions,
  wholeId,
} from './listing/index.js';
import {
  createSession,
  examineSession,
  giveSession,
  openToRead,
  openToWrite,
  ownerOf,
  readSession,
  removeSession,
  repairSession,
  rewriteSession,
  salvageSession,
  takeSession,
} from './opening/index.js';
import type { FileSession } from './opening/index.js';

/** Sessions as folders on disk. */
export class FileStore implements SessionStore {
  readonly #context: StoreContext;
  readonly clock: Clock;
  readonly capabilities: StoreCapabilities & {
    readonly doctor: SessionDoctor;
    readonly outputs: OutputStore;
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
      copying: {
        give: async (id) => giveSession(context, checkSessionId(id)),
        take: async (copy) => takeSession(context, copy),
      },
      deliveries: fileDeliveries(context, () => this.waiting()),
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

  /** As its lock file says; nothing else is looked at. @throws HitlError SESSION_UNREADABLE */
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
    repair: async (id, { unlock = false } = {}) =>
      repairSession({ ...context, takeOver: context.takeOver || unlock }, checkSessionId(id)),
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

/** A store of sessions as folders under `options.root`. Nothing is read or made before it is asked for. */
export function createFileStore(options: FileStoreOptions): FileStore {
  return new FileStore(storeContext(options));
}
