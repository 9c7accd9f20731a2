// Invariants:
// B1 What is gone on with here began under the name of this agent: its id says so. No session of another agent or
//    program is taken up.
// B2 Whoever begins a session is the one who asked for what it does, as the door knows them.
// B3 An answer is recorded by the door that took it; going on is behind that, and may be done by any server that has the agent.
// B4 No more runs at once than there are slots: what was answered waits for one, before anybody begins anew.
// B5 What was missed while the store was away, or somebody else had a session, is found by looking again.
// B6 What was stopped, by a person or at a limit, is gone on with by nobody before it is answered.
import { randomBytes } from 'node:crypto';
import type { Actor, SessionId } from '../../core/index.js';
import { checkSessionId, isHitlError } from '../../core/index.js';
import type { Chat, LiveRun } from '../../library/index.js';
import { openChat } from '../../library/index.js';
import { stateOf } from '../answering/take-answer.js';
import type { RequestKind, ServerWorld } from '../world.js';
import type { ServedAgent } from './served-agent.js';
import { chatOptions, nameOf, SLOTS } from './served-agent.js';
import type { Slot } from './slots.js';
import { Slots } from './slots.js';

/** The time between two looks at what is to be gone on with, in milliseconds. */
const LOOK_MS = 30_000;
/** The number of times that a session is opened which others have, and the time between, in milliseconds. */
const MOST_TRIES = 3;
const AGAIN_MS = 1_000;
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
  readonly agent: ServedAgent;
  readonly #name: string;
  readonly #slots: Slots;
  readonly #leaving = new AbortController();
  readonly #running = new Set<SessionId>();
  readonly #due = new Set<SessionId>();

  constructor(world: ServerWorld, agent: ServedAgent) {
    this.#world = world;
    this.agent = { ...agent, ...(agent.tools !== undefined && { tools: [...agent.tools] }) };
    this.#name = nameOf(this.agent);
    this.#slots = new Slots(agent.slots ?? SLOTS, () => {
      this.#fill();
    });
    void this.#look();
    void this.#follow();
  }

  /** Names a session of this agent (B1). @param by what begins it: a request of a program, or a client of AG-UI */
  idOf(by: RequestKind, rest: string): SessionId {
    return checkSessionId(`${by}-${this.#name}-${rest}`);
  }

  /** Takes a slot for a run that a request asks for; none where all are taken. */
  slot(): Slot | undefined {
    return this.#slots.take();
  }

  /**
   * Begins a session; its first message is durable then, and the model may not have answered yet.
   * @returns nothing where all slots are taken: nothing has begun then
   */
  async begin({ text, title, by }: Begin): Promise<SessionId | undefined> {
    const slot = this.slot();
    if (slot === undefined) return undefined;
    const { store, clock } = this.#world;
    const id = this.idOf('api', randomBytes(ID_BYTES).toString('hex'));
    let begun = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const running = this.#run(id, slot, async () => {
      const chat = await openChat({
        ...{ ...chatOptions(this.agent), id, store, clock, by },
        ...(title !== undefined && { title }),
      });
      await drained(chat, slot, { run: () => chat.say(text, { by }), begun });
    });
    await Promise.race([first, running]); // what failed before the first event is told, and later the journal says it
    return id;
  }

  /** Begins nothing more, and goes on with nothing more. @returns once what runs has come to its rest */
  async drain(): Promise<void> {
    this.#leaving.abort();
    await this.#slots.drain();
  }

  /** Lets go of all of them; what runs is left as a crash leaves it. */
  async close(): Promise<void> {
    this.#leaving.abort();
    await this.#slots.close();
  }

  /** Looks for what is to be gone on with, again and again (B5). */
  async #look(): Promise<void> {
    const { store, clock } = this.#world;
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        for await (const { id } of store.list({ status: 'interrupted' })) this.#goOn(id);
        for await (const { id } of store.list({ unread: true })) this.#goOn(id);
      } catch {
        // the store is unreachable: it is looked at again
      }
      await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#leaving;
    for await (const { session, what } of this.#world.changes.from(signal))
      if (what === 'answered') this.#goOn(session);
  }

  #goOn(id: SessionId): void {
    if (!id.startsWith(this.idOf('api', ''))) return; // B1
    this.#due.add(id);
    this.#fill();
  }

  /** Goes on with what is due, as far as there are slots (B4); what runs now is looked at again once it rests. */
  #fill(): void {
    for (const id of this.#due) {
      if (this.#running.has(id)) continue;
      const slot = this.slot();
      if (slot === undefined) return;
      this.#due.delete(id);
      this.#run(id, slot, async () => {
        const chat = await this.#opened(id);
        if (chat !== undefined) await drained(chat, slot, { run: () => chat.resume() });
      }).catch(() => undefined); // others have it, or it failed: its journal says so
    }
  }

  /**
   * Opens a session that has not ended; whoever has it for a moment, to look, is waited for. That it asks something says
   * nothing: an answer may have been left for whoever opens it next.
   */
  async #opened(id: SessionId): Promise<Chat | undefined> {
    const { store, clock } = this.#world;
    for (let tries = 1; ; tries += 1) {
      const state = await stateOf(store, id);
      if (state === undefined || state.ended !== undefined) return undefined; // B6
      try {
        return await openChat(id, { ...chatOptions(this.agent), store, clock });
      } catch (thrown) {
        if (!isHitlError(thrown) || thrown.code !== 'SESSION_LOCKED' || tries === MOST_TRIES) throw thrown;
      }
      await clock.sleep(AGAIN_MS, this.#leaving.signal);
    }
  }

  async #run(id: SessionId, slot: Slot, work: () => Promise<void>): Promise<void> {
    this.#running.add(id);
    try {
      await work();
    } finally {
      this.#running.delete(id);
      slot[Symbol.dispose]();
    }
  }
}

/** Runs until it rests, and gives the session back. */
async function drained(
  chat: Chat,
  slot: Slot,
  { run, begun = () => undefined }: { readonly run: () => LiveRun; readonly begun?: () => void },
): Promise<void> {
  await using _held = chat;
  slot.hold(chat);
  for await (const _event of run()) begun();
  begun();
}
