import type {
  Actor,
  AgentFingerprint,
  Clock,
  HumanChannel,
  Model,
  OptionTable,
  Session,
  SessionStore,
  Tool,
  ToolSet,
} from '../../core/index.js';
import {
  agentChange,
  ANYTHING,
  checkOptions,
  checkSessionId,
  FUNCTION,
  HitlError,
  ROOT_PATH,
  TEXT,
} from '../../core/index.js';
import type { RunOptions } from '../../engine/index.js';
import { checkModel } from '../../engine/index.js';
import type { Reviewer, ReviewFunction } from '../../reviewer/index.js';
import { reviewerOf } from '../../reviewer/index.js';
import { toolSet } from '../../tools/index.js';
import { NEW_SESSION, OLD_SESSION, SESSION } from '../live/session-options.js';
import { resultOf } from '../live/result.js';
import { checkReviews, reviewedFirst } from '../live/reviewed-first.js';
import { runOf } from '../live/run-of.js';
import { storeOf } from '../open-store.js';
import type { Chat } from './chat.js';
import { SessionChat } from './chat.js';

/** Options for a chat. The default limits of sessions apply, such as 50 tool rounds per user message. */
export interface ChatOptions extends Pick<
  RunOptions,
  'limits' | 'maxOutputTokens' | 'onToolError' | 'stopWhen' | 'context'
> {
  readonly model: Model;
  /** Default: none. */
  readonly tools?: Iterable<Tool>;
  readonly system?: string;
  /** A store, or the folder of a file store. Default: a store in memory. */
  readonly store?: SessionStore | string;
  /**
   * Channel to the person to ask immediately, such as `personAtTerminal()`. Default: none, so questions wait.
   */
  readonly channel?: HumanChannel;
  /**
   * A reviewer that is asked about calls of `reviewable` tools before a person is: `modelReviewer(…)`, or
   * your own function. It can approve these calls, but nothing else. The journal records its verdicts.
   * Default: none.
   */
  readonly reviewer?: Reviewer | ReviewFunction;
  /**
   * Clock for everything in the session: deadlines, timers, and the timestamps that are stored and sent. If
   * you pass a store, it must use the same clock. Default: the store's clock, or the system clock.
   */
  readonly clock?: Clock;
}

/** Options for creating a chat with `openChat`. */
export interface NewChatOptions extends ChatOptions {
  /** The requester, who cannot approve questions that exclude requesters. Default: unknown. */
  readonly by?: Actor;
  /** Session id. Default: a new id that sorts by creation time. */
  readonly id?: string;
  /** Title of the chat. Default: the start of the first user message. */
  readonly title?: string;
}

/** Options for reopening a chat from a store. */
export interface OldChatOptions extends ChatOptions {
  readonly store: SessionStore | string;
}

/**
 * Creates a chat, or reopens the chat with the given id. The chat stays locked until it is closed.
 * @throws HitlError SESSION_ID, SESSION_EXISTS for a new chat; SESSION_NOT_FOUND, SESSION_LOCKED,
 * SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE for an existing chat; DUPLICATE_TOOL, BAD_CONFIG
 */
export function openChat(options: NewChatOptions): Promise<Chat>;
export function openChat(id: string, options: OldChatOptions): Promise<Chat>;
export async function openChat(first: string | NewChatOptions, second?: OldChatOptions): Promise<Chat> {
  if (typeof first === 'object') {
    checkOptions('`openChat`', first, NEW_CHAT);
    checkModel(first.model);
    return begin(first);
  }
  if (second === undefined || typeof first !== 'string')
    throw new HitlError('BAD_CONFIG', 'openChat requires a model and a store', {
      hint: 'openChat(id, { store, model, tools })',
    });
  checkOptions('`openChat`', second, OLD_CHAT);
  checkModel(second.model);
  return goOn(first, second);
}

const CHAT: OptionTable<ChatOptions> = {
  ...SESSION,
  model: ANYTHING, // `checkModel` says what is wrong with it
  tools: ANYTHING, // as `toolSet` does
  system: TEXT,
  stopWhen: FUNCTION,
};
const NEW_CHAT: OptionTable<NewChatOptions> = { ...CHAT, ...NEW_SESSION };
const OLD_CHAT: OptionTable<OldChatOptions> = { ...CHAT, ...OLD_SESSION };

async function begin(options: NewChatOptions): Promise<Chat> {
  const { id, title, by } = options;
  const tools = toolSet(options.tools ?? []);
  const { store, clock } = storeOf(options);
  await checkReviews(store, options.reviewer);
  const session = await store.create({
    agent: fingerprint(options, tools),
    ...(id !== undefined && { id: checkSessionId(id) }),
    ...(title !== undefined && { title }),
    ...(by !== undefined && { by }),
  });
  return chatOn({ session, clock, tools }, options);
}

async function goOn(id: string, options: OldChatOptions): Promise<Chat> {
  const tools = toolSet(options.tools ?? []);
  const { store, clock } = storeOf(options);
  await checkReviews(store, options.reviewer);
  const session = await store.open(checkSessionId(id), 'write');
  try {
    const { agent: saved, graph } = session.state;
    if (saved?.flow !== undefined || graph !== undefined)
      throw new HitlError('BAD_CONFIG', `session ${id} runs a workflow`, {
        hint: 'openFlow(id, workflow, { store })',
      });
    const agent = fingerprint(options, tools);
    session.beginWith(agentChange(session.state, agent));
    return chatOn({ session, clock, tools }, options);
  } catch (thrown) {
    await session[Symbol.asyncDispose]();
    throw thrown;
  }
}

function fingerprint({ model, system, reviewer }: ChatOptions, { descriptors }: ToolSet): AgentFingerprint {
  return {
    model: model.id,
    ...(system !== undefined && { system }),
    tools: descriptors,
    ...(reviewer !== undefined && { reviewer: reviewerOf(reviewer).by.name }),
  };
}

interface Parts {
  readonly session: Session;
  readonly clock: Clock;
  readonly tools: ToolSet;
}

function chatOn({ session, clock, tools }: Parts, options: ChatOptions): Chat {
  const { system, stopWhen, channel } = options;
  const isShared = options.store !== undefined; // else nobody but this chat knows its store
  return new SessionChat({
    session,
    resultOf,
    isShared,
    clock,
    ...reviewedFirst(options.reviewer, channel, clock),
    run: {
      ...runOf(session, { ...options, tools, clock }),
      ...(system !== undefined && { system }),
      ...(stopWhen && { stopWhen }),
      ...(isShared && { steering: { inbox: session.inbox(), path: ROOT_PATH } }),
    },
  });
}
