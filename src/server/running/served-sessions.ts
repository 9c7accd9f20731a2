// Invariants:
// B1 What is gone on with here began here: its id says so. No session of another program is taken up.
// B2 Whoever begins a session is the one who asked for what it does, as the door knows them.
// B3 An answer is recorded by the door that took it; going on is behind that, and may be done by any server that has the agent.
import { randomBytes } from 'node:crypto';
import type { Actor, SessionId } from '../../core/index.js';
import { checkSessionId, isHitlError } from '../../core/index.js';
import type { Chat, ChatOptions, LiveRun } from '../../library/index.js';
import { openChat } from '../../library/index.js';
import type { ServerWorld } from '../world.js';

/** The agent that a server runs: what it is made of is said where the server is made, and never by a request. */
export type ServedAgent = Pick<ChatOptions, 'model' | 'tools' | 'system' | 'limits'>;

/** The beginning of the ids of sessions that were begun by a request. */
const OURS = 'api-';
const ID_BYTES = 12;

/** A session that is to begin. */
interface Begin {
  readonly text: string;
  readonly title?: string;
  readonly by: Actor;
}

/** The sessions of the agent of a server: begun by a request, and gone on with once they are answered. */
export class ServedSessions {
  readonly #world: ServerWorld;
  readonly #agent: ServedAgent;
  readonly #leaving = new AbortController();
  readonly #running = new Map<SessionId, Promise<void>>();
  readonly #chats = new Set<Chat>();
  readonly #again = new Set<SessionId>();

  constructor(world: ServerWorld, agent: ServedAgent) {
    this.#world = world;
    this.#agent = agent;
    void this.#follow();
  }

  /** Begins a session; its first message is durable then, and the model may not have answered yet. */
  async begin({ text, title, by }: Begin): Promise<SessionId> {
    const { store, clock } = this.#world;
    const id = checkSessionId(`${OURS}${randomBytes(ID_BYTES).toString('hex')}`);
    const chat = await openChat({
      ...{ ...this.#agent, id, store, clock, by },
      ...(title !== undefined && { title }),
    });
    let begun = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const running = this.#hold(id, () => this.#drained(chat, chat.say(text, { by }), begun));
    await Promise.race([first, running]); // what failed before the first event is told
    return id;
  }

  /** Lets go of all of them; what runs is left as a crash leaves it. */
  async close(): Promise<void> {
    this.#leaving.abort();
    await Promise.allSettled([...this.#chats].map((chat) => chat.close()));
    await Promise.allSettled(this.#running.values());
  }

  async #follow(): Promise<void> {
    const { signal } = this.#leaving;
    try {
      for await (const { id } of this.#world.store.list({ status: 'interrupted' })) this.#goOn(id);
    } catch {
      // a store that is away is looked at again with the next change
    }
    for await (const { session, what } of this.#world.changes.from(signal))
      if (what === 'answered') this.#goOn(session);
  }

  #goOn(id: SessionId): void {
    if (!id.startsWith(OURS) || this.#leaving.signal.aborted) return; // B1
    if (this.#running.has(id)) {
      this.#again.add(id);
      return;
    }
    void this.#hold(id, async () => {
      const { store, clock } = this.#world;
      try {
        const chat = await openChat(id, { ...this.#agent, store, clock });
        await this.#drained(chat, chat.resume(), () => undefined);
      } catch (thrown) {
        if (!isHitlError(thrown)) throw thrown; // others have it, or it failed: its journal says so
      }
    });
  }

  #hold(id: SessionId, work: () => Promise<void>): Promise<void> {
    const running = work().finally(() => {
      this.#running.delete(id);
      if (this.#again.delete(id)) this.#goOn(id);
    });
    this.#running.set(id, running);
    running.catch(() => undefined); // told to whoever waits for it
    return running;
  }

  /** Runs until it rests, and gives the session back. */
  async #drained(chat: Chat, run: LiveRun, begun: () => void): Promise<void> {
    await using _held = chat;
    this.#chats.add(chat);
    try {
      for await (const _event of run) begun();
      begun();
    } finally {
      this.#chats.delete(chat);
    }
  }
}
