// Invariants:
// S1 One turn at a time: a second message is refused until the first is answered.
// S2 A session that is opened asks what it has open, and runs nothing else before a person writes.
import type { AgentContext, ContentBlock, SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import type { Renderer, RunState, SessionId, SessionMode, Turn, TurnSource } from '../../src/core/index.js';
import {
  assertNever,
  contextUsed,
  escapeText,
  HitlError,
  errorFrom,
  isHitlError,
  knownCost,
  messageOf,
  plainLine,
  present,
  SESSION_MODES,
  sessionTitle,
  Suspension,
} from '../../src/core/index.js';
import { nextStep } from '../../src/engine/index.js';
import type { Rest } from '../../src/repl/index.js';
import { keep } from '../../src/repl/index.js';
import { changeMode, checkMode } from '../agent/change-mode.js';
import { roomOf } from '../agent/room.js';
import { rulePlace } from '../config/project-place.js';
import type { Signals } from '../exit/signals.js';
import { asMember, personHere } from '../host/index.js';
import { attachedContents } from '../input/attached-files.js';
import type { Played } from '../running/play.js';
import { play } from '../running/play.js';
import { unfinishedIn } from '../running/result.js';
import type { Stage } from '../running/stage.js';
import { presentServers, runsForeignCode } from '../running/stage.js';
import type { TerminalPeople } from '../seat/at-terminal.js';
import type { People } from '../seat/people.js';
import { composePeople } from '../seat/people.js';
import { EditorChannel } from './editor-person.js';
import type { EditorAbilities } from './editor-link.js';
import { EditorLink } from './editor-link.js';
import type { Held } from './held.js';
import { MODE } from './held.js';
import { saidIn } from './said.js';
import type { ToldLines } from './told-lines.js';
import { Updates } from './updates.js';

/** The editor that shows a session. */
export interface EditorPlace {
  readonly client: AgentContext;
  readonly abilities: EditorAbilities;
  readonly signals: Pick<Signals, 'leave' | 'watch'>;
  /** Collects hitl's output for the user. */
  readonly told: ToldLines;
}

/** A hitl session in an editor. */
export class EditorSession {
  readonly #held: Held;
  readonly #people: People;
  readonly #link: EditorLink;
  readonly #renderer: Renderer;
  readonly #updates: Updates;
  readonly #turns: OneTurn;
  readonly #signals: Stage['signals'];
  readonly #closing = new AbortController();
  #work = new AbortController();
  /** The running turn. This promise never rejects. */
  #running: Promise<unknown> | undefined;
  #isAsking = false;
  #notices: readonly string[];

  private constructor(held: Held, parts: Parts, { signals }: EditorPlace) {
    this.#held = held;
    this.#people = parts.people;
    this.#link = parts.link;
    this.#updates = parts.updates;
    this.#renderer = parts.renderer;
    this.#turns = parts.turns;
    this.#notices = parts.notices;
    this.#signals = {
      leave: AbortSignal.any([signals.leave, this.#closing.signal]),
      beginWork: () => this.#work.signal,
      status: undefined,
    };
  }

  /** Opens a session in an editor. */
  static async open(held: Held, place: EditorPlace): Promise<EditorSession> {
    const { io, flags, session, agent } = held;
    const { rules, tools } = agent;
    const link = new EditorLink(place.client, session.id, place.abilities);
    // An editor does not know the session yet: what was said so far comes with the first message.
    const notices = [...place.told.kept(), ...held.notices];
    place.told.to((text) => {
      link.say(text);
    });
    const updates = new Updates(io.cwd);
    const turns = new OneTurn();
    const channel = new EditorChannel({
      link,
      actor: (interrupt) => asMember(personHere(io, 'editor'), interrupt),
      place: (state) => ({
        ...{ session: session.id, state, cwd: io.cwd, rules: rules.all, place: rulePlace(io) },
        now: io.clock.now(),
      }),
    });
    const person: TerminalPeople = {
      channel,
      turns,
      confirm: (message, words, signal) => link.confirm(message, words, signal),
      forget: () => undefined,
      restore: () => undefined,
    };
    const people = await composePeople(io, flags, {
      mode: MODE,
      session,
      tools,
      rules,
      person: () => person,
    });
    const renderer = rendererOf(link, updates, held);
    presentServers(io, { session, agent }, renderer, people);
    await place.signals.watch({ foreignCode: runsForeignCode(agent) });
    return new EditorSession(held, { people, link, renderer, updates, turns, notices }, place);
  }

  get id(): SessionId {
    return this.#held.session.id;
  }

  get mode(): SessionMode {
    return this.#held.agent.rules.mode;
  }

  /** Returns the modes available in this session. */
  async modes(): Promise<readonly SessionMode[]> {
    const { rules } = this.#held.agent;
    const found = await Promise.all(
      SESSION_MODES.map(async (mode) => ({ mode, why: await rules.whyNot(mode) })),
    );
    return found.flatMap(({ mode, why }) => (why === undefined ? [mode] : []));
  }

  /** Sends a message from the user to the model, and runs until the turn ends. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    if (this.#isAsking) await this.#running; // a question of before; then the message is next
    if (this.#running !== undefined) throw busy();
    const { io, agent } = this.#held;
    const { text, handed } = saidIn(blocks, io.cwd);
    const { parts, notices } = attachedContents(io, handed, agent.model.current);
    for (const notice of this.#notices) this.#link.note(escapeText(notice));
    for (const notice of notices) this.#link.note(notice);
    this.#notices = [];
    const turn: Turn = { type: 'message', text, ...(parts.length > 0 && { attached: parts }) };
    const stop = (): void => {
      this.cancel();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await this.#play(turn);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Adds notices to show with the next message. */
  tellFirst(notices: readonly string[]): void {
    this.#notices = [...this.#notices, ...notices];
  }

  update(updates: Iterable<SessionUpdate>): void {
    this.#link.update(updates);
  }

  /** Shows the conversation so far. Call `askOpen` after that to ask the open questions (S2). */
  show(): void {
    this.#link.update(this.#updates.replayed(this.#held.session.state));
  }

  /** Asks the open questions, and continues from there. Does nothing if there are none. */
  askOpen(): void {
    const { session, agent } = this.#held;
    const { type } = nextStep(session.state, { tools: agent.tools, limits: {}, elapsedMs: 0 });
    if (this.#running !== undefined || (type !== 'await-human' && type !== 'raise-in-doubt')) return;
    this.#isAsking = true;
    void this.#play(undefined)
      .catch((thrown: unknown) => {
        this.#link.say(wordsOf(thrown));
      })
      .finally(() => {
        this.#isAsking = false;
      });
  }

  /** Stops the current work, as Ctrl-C does. Questions remain open. */
  cancel(): void {
    this.#work.abort(new DOMException('stopped by the user', 'AbortError'));
  }

  async setMode(mode: SessionMode): Promise<void> {
    const { session, agent } = this.#held;
    const { rules } = agent;
    await checkMode(mode, rules);
    await changeMode(mode, { rules, session, keep: (events) => keep(events, session, this.#renderer) });
  }

  /** Suspends the running turn, as happens when a terminal is closed. The next process resumes it. */
  async close(): Promise<void> {
    this.#closing.abort(new Suspension('the editor closed the session'));
    await this.#running;
    this.#people.finish();
  }

  /** Runs one turn, or resumes the pending one (S1). */
  async #play(turn: Turn | undefined): Promise<StopReason> {
    this.#work = new AbortController();
    this.#turns.give(turn);
    const { io, flags, store, session, agent } = this.#held;
    const playing = play(io, flags, { store, session, agent, mode: MODE, notices: [] }, this.#stage());
    this.#running = playing;
    try {
      return this.#stopReason(await playing, turn);
    } finally {
      this.#running = undefined;
    }
  }

  #stage(): Stage {
    return {
      renderer: this.#renderer,
      people: this.#people,
      signals: this.#signals,
      unsent: () => [],
      beside: () => undefined,
      [Symbol.dispose]: () => undefined,
    };
  }

  #stopReason(played: Played, turn: Turn | undefined): StopReason {
    const wasSaid = !this.#turns.take(); // a message that was not reached is not said later
    if (played.type === 'failed') throw played.thrown;
    if (this.#work.signal.aborted) return 'cancelled';
    if (turn !== undefined && !wasSaid)
      throw new HitlError('OPEN_INTERRUPT', 'your message was not sent: a question is open', {
        hint: `answer it first: hitl show ${this.id}`,
      });
    const { rest } = played.end;
    return rest === undefined ? 'end_turn' : reasonOf(rest, this.#held.session.state);
  }
}

interface Parts {
  readonly people: People;
  readonly link: EditorLink;
  readonly renderer: Renderer;
  readonly updates: Updates;
  readonly turns: OneTurn;
  readonly notices: readonly string[];
}

function busy(): HitlError {
  return new HitlError('SESSION_BUSY', 'the session is still working on the last message', {
    hint: 'wait for it, or stop it',
  });
}

/** Returns the reason that a turn ended. @throws HitlError if the turn failed */
function reasonOf(rest: Rest, state: RunState): StopReason {
  if (rest.type === 'waiting') return 'end_turn';
  const { reason, error } = rest;
  switch (reason.type) {
    case 'done':
    case 'finished':
      return unfinishedReason(state);
    case 'aborted':
      return 'cancelled';
    case 'limit':
      return 'max_turn_requests';
    case 'failed':
      throw isHitlError(error) ? error : errorFrom(reason.error, error);
    default:
      return assertNever(reason);
  }
}

function unfinishedReason(state: RunState): StopReason {
  const unfinished = unfinishedIn(state);
  switch (unfinished) {
    case undefined:
      return 'end_turn';
    case 'refused':
      return 'refusal';
    case 'cut':
    case 'context-full':
      return 'max_tokens';
    default:
      return assertNever(unfinished);
  }
}

/** Formats an error for the user, as safe text. */
export function wordsOf(thrown: unknown): string {
  const hint = isHitlError(thrown) && thrown.hint !== undefined ? ` (${thrown.hint})` : '';
  return escapeText(`${messageOf(thrown)}${hint}`);
}

/** Provides one message, then ends. */
class OneTurn implements TurnSource {
  #turn: Turn | undefined;

  give(turn: Turn | undefined): void {
    this.#turn = turn;
  }

  /** Withdraws a message that has not been sent. Returns false if it has already been sent. */
  take(): boolean {
    const isLeft = this.#turn !== undefined;
    this.#turn = undefined;
    return isLeft;
  }

  next(): Promise<Turn> {
    const turn = this.#turn;
    this.#turn = undefined;
    return Promise.resolve(turn ?? { type: 'end', why: 'one message' });
  }
}

const TITLE_COLUMNS = 60;

/** Creates a renderer that shows a run in an editor. */
function rendererOf(link: EditorLink, updates: Updates, { flags, agent }: Held): Renderer {
  return {
    event: (event, _seq, state) => {
      link.update(updates.event(event, state));
    },
    transient: (event) => {
      link.update(updates.transient(event));
    },
    notice: (text) => {
      link.note(escapeText(text));
    },
    pause: () => undefined,
    stopped: (state) => {
      const size = roomOf(flags, agent.model)?.limit;
      const cost = knownCost(state.usage);
      const amount = cost === undefined ? undefined : { amount: cost, currency: 'USD' };
      const used = contextUsed(state);
      link.update([
        { sessionUpdate: 'session_info_update', title: plainLine(sessionTitle(state), TITLE_COLUMNS) },
        ...(size === undefined
          ? []
          : [{ sessionUpdate: 'usage_update', used, size, ...present({ cost: amount }) } as const]),
      ]);
    },
  };
}
