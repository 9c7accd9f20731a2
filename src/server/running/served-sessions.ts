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

/** Interval between checks for due sessions, in milliseconds. */
const LOOK_MS = 30_000;
/**
 * Number of attempts to open a session held by another process, and the pause between attempts in
 * milliseconds.
 */
const MOST_TRIES = 3;
const AGAIN_MS = 1_000;
const ID_BYTES = 12;

/** A session to start. */
interface Begin {
  readonly text: string;
  readonly title?: string;
  readonly by: Actor;
}

/** Runs the sessions of the server's agent. Requests start them, and answers resume them. */
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

  /**
   * Returns a session ID for this agent (B1).
   * @param by how the session was started: by a program's request or by an AG-UI client
   */
  idOf(by: RequestKind, rest: string): SessionId {
    return checkSessionId(`${by}-${this.#name}-${rest}`);
  }

  /** Takes a slot for a requested run. Returns undefined if all slots are taken. */
  slot(): Slot | undefined {
    return this.#slots.take();
  }

  /**
   * Starts a session. Resolves when its first message is durable, which may be before the model's reply.
   * @returns undefined if all slots are taken, in which case the session was not started
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

  /**
   * Stops starting and resuming sessions.
   * @returns when all runs have stopped
   */
  async drain(): Promise<void> {
    this.#leaving.abort();
    await this.#slots.drain();
  }

  /** Closes all sessions. Their runs are left as they would be after a crash. */
  async close(): Promise<void> {
    this.#leaving.abort();
    await this.#slots.close();
  }

  /** Checks for due sessions at regular intervals (B5). */
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

  /** Resumes due sessions while slots are free (B4). Running sessions are checked again when they stop. */
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
   * Opens an unfinished session. If another process has it open briefly, waits and tries again. A session
   * with an open question is opened too, because an answer may be queued.
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

/** Runs a chat until it stops, then closes the session. */
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
