// Invariants:
// A1 A question is in its session, durably, before whoever asks hears of it.
// A2 Nothing here answers by itself: what became of a question is read from its session, which people answer. Only where
//    people chose to be asked in the client does its answer come from there, and the journal says so.
// A3 One (program, key) is one question for ever; without a key it is one of its connection, until its answer was given out.
// A4 An approval is given out once, to the program that asked: that it was is on disk before anybody has it.
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type {
  Actor,
  Clock,
  Interrupt,
  JsonObject,
  OutputStore,
  Resolution,
  RunState,
  SessionId,
  SessionStore,
  Tool,
  WaitingItem,
} from '../../src/core/index.js';
import {
  canonicalJson,
  checkSessionId,
  hmacSha256,
  HitlError,
  isHitlError,
  isJsonObject,
  isSessionId,
  jsonEquals,
  membersOf,
  openInterrupts,
} from '../../src/core/index.js';
import type { Chat } from '../../src/library/index.js';
import { openChat } from '../../src/library/index.js';
import { askHuman, requestApproval } from '../../src/tools/index.js';
import { clientModel } from './client-model.js';
import type { Account, Standing } from './standing.js';
import { accountOf, callOf, isOfProgram, standingOf } from './standing.js';

/** The tools by which another program asks. */
export type AskingTool = 'ask_human' | 'request_approval';

/** A question of another program. */
export interface Question {
  /** One of `tools`. */
  readonly tool: string;
  readonly input: JsonObject;
  /** The asking program, as shown to people. */
  readonly from: string;
  /** Its connection; the same question on another connection is another question. */
  readonly connection: string;
  /** Idempotency key of the program's question. */
  readonly key?: string;
  /** The door, and who is known to ask through it: programs of one name have keys of their own. Default: MCP. */
  readonly door?: readonly string[];
  /** Who asked, as far as it is proven; a rule may exclude them from answering. Default: unknown. */
  readonly by?: Actor;
  /** Title of its session. Default: what is asked. */
  readonly title?: string;
}

/** Options of questions. */
export interface QuestionsOptions {
  readonly store: SessionStore;
  /** The key of the user: ids are made with it, so that no other program can make one. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
  /** Stores an empty file next to each session whose answer was handed out. */
  readonly beside: Pick<OutputStore, 'fileBeside'>;
  /** The tools by which is asked. Default: those of `hitl mcp`. */
  readonly tools?: Readonly<Record<string, Tool>>;
  /** Called before a new question is filed. @throws HitlError to refuse it */
  readonly admit?: (question: Question) => Promise<void>;
  /** Called with each new question, once it is saved. */
  readonly filed?: (id: SessionId, state: RunState) => void;
}

/** Name of the file that marks a handed-out answer. */
const HANDED_OUT = 'handed-out';
/** Least and most time between two checks of a session, in milliseconds: the longer the wait, the fewer. */
const LOOK_MS = 250;
const LONGEST_LOOK_MS = 2_000;
/** The part of a wait by which the next check is put off. */
const PATIENCE = 60;
/** Retry delay for a locked session, in milliseconds, and number of retries. */
const HELD_MS = 50;
const MOST_LOOKS = 40;
/** Characters of an id after `ask-`. */
const ID_LENGTH = 12;
/** How often the same question may be asked without a key. */
const MOST_REPEATS = 10_000;
/** Longest question with all that comes with it, in characters of JSON. */
const LONGEST = 300_000;

/** Other programs' questions, each in its own session, which people answer like any other. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #tools: Readonly<Record<string, Tool>>;

  constructor(options: QuestionsOptions) {
    this.#options = options;
    this.#tools = options.tools ?? { ask_human: askHuman(), request_approval: requestApproval() };
  }

  /**
   * Files a question, or returns the earlier identical one (A1, A3).
   * @throws HitlError BAD_INPUT for an invalid input, or a key already used for another question.
   */
  async ask(given: Question): Promise<SessionId> {
    const question = { ...given, input: await this.#checked(given) };
    for (let repeat = 0; repeat < MOST_REPEATS; repeat += 1) {
      const id = this.#idOf(question, repeat);
      const known = await this.#read(id);
      if (known !== undefined && question.key === undefined && this.wasGivenOut(id)) continue;
      await this.#filed(id, question, known);
      return id;
    }
    throw new HitlError('BAD_INPUT', 'asked too often', { hint: 'give it its own `key`' });
  }

  /**
   * Returns the status of a program's question. Approvals are checked first, as in every session.
   * @param from the program; `undefined` if the caller knows that it may see the question
   * @throws HitlError SESSION_NOT_FOUND for a question of another program.
   */
  async standing(
    text: string,
    from: string | undefined,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Standing> {
    const id = isSessionId(text) ? text : undefined;
    for (let look = 1; ; look += 1) {
      const known = id === undefined ? undefined : await this.#read(id);
      if (id === undefined || known === undefined || !isFrom(known, from)) throw noQuestion(text);
      if (known.ended !== undefined || look > MOST_LOOKS) return standingOf(known);
      if (openInterrupts(known).length > 0 && !this.#isOver(known) && !(await this.#isAnswered(id)))
        return standingOf(known);
      // Somebody answered, or its time is over: who holds the session goes through it, and is done in a moment.
      if (!(await this.#goOn(id))) await this.#options.clock.sleep(HELD_MS, signal);
    }
  }

  /** Waits for an answer, at most `ms`. */
  async answered(
    { id, from, ms }: { readonly id: string; readonly from: string | undefined; readonly ms: number },
    signal: AbortSignal,
  ): Promise<Standing> {
    const { clock } = this.#options;
    const start = clock.now();
    const end = start + ms;
    for (;;) {
      const standing = await this.standing(id, from, signal);
      const left = end - clock.now();
      if (standing.status !== 'waiting' || left <= 0) return standing;
      const pause = Math.min(LONGEST_LOOK_MS, LOOK_MS + (clock.now() - start) / PATIENCE);
      await clock.sleep(Math.min(pause, left), signal);
    }
  }

  /** What is known of a question besides its status; `undefined` if there is none of this id. */
  async account(text: string): Promise<Account | undefined> {
    const known = isSessionId(text) ? await this.#read(text) : undefined;
    return known === undefined ? undefined : accountOf(known);
  }

  /** The question itself, while it is open. */
  async open(id: SessionId): Promise<Interrupt | undefined> {
    const known = await this.#read(id);
    return known === undefined ? undefined : openInterrupts(known)[0];
  }

  /** Records a decision made in the client, if users chose to be asked there. */
  async take(
    id: SessionId,
    { id: interrupt, digest }: Interrupt,
    resolution: Resolution,
    from: string,
  ): Promise<void> {
    const by = { type: 'script', name: from, via: 'flag', place: '--ask-in-client' } as const;
    await this.#options.store.post(id, { id: interrupt, digest, resolution, by });
  }

  /**
   * Durably marks an answer as handed out and returns it; an approval is handed out only once (A4). The same
   * question without a key is then a new one.
   */
  giveOut(id: SessionId, standing: Standing): Standing {
    if (standing.status === 'waiting') return standing;
    return this.handOut(id) || standing.status !== 'approved' ? standing : { ...standing, status: 'used' };
  }

  /** Durably marks an answer as handed out; false if it was before. */
  handOut(id: SessionId): boolean {
    return createdNow(this.#options.beside.fileBeside(id, HANDED_OUT));
  }

  /** Whether the answer was handed out. */
  wasGivenOut(id: SessionId): boolean {
    return existsSync(this.#options.beside.fileBeside(id, HANDED_OUT));
  }

  /** The questions of a program that wait. */
  async *waiting(from: string): AsyncGenerator<WaitingItem, void> {
    for await (const item of this.#options.store.waiting()) {
      const { source } = item.interrupt;
      if (source.type !== 'tool' || !Object.hasOwn(this.#tools, source.name)) continue;
      if (isJsonObject(source.input) && source.input['from'] === from) yield item;
    }
  }

  async #checked({ tool, input, from }: Question): Promise<JsonObject> {
    if (canonicalJson(input).length > LONGEST)
      throw new HitlError('BAD_INPUT', `the question is too large: at most ${LONGEST} characters`, {
        hint: 'shorten its details or its diff',
      });
    const parsed = await this.#tools[tool]?.parseInput({ ...input, from });
    if (parsed === undefined) throw new HitlError('BAD_INPUT', `nothing asks by \`${tool}\``);
    if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
    throw new HitlError('BAD_INPUT', parsed.ok ? 'the input is not an object' : parsed.issues.join('; '));
  }

  /** Derives the session id, so that two processes filing the same question create one session. */
  #idOf({ tool, input, from, connection, key, door }: Question, repeat: number): SessionId {
    const asked = key === undefined ? { connection, tool, input, repeat } : { key };
    const named = { ...asked, ...(door !== undefined && { door }) };
    const digest = hmacSha256(
      this.#options.secret,
      `hitl mcp question\n${canonicalJson({ from, ...named })}`,
    );
    const text = digest.toLowerCase().replaceAll(/[^a-z0-9]/gu, '');
    return checkSessionId(`ask-${text.slice(0, ID_LENGTH)}`);
  }

  /** Reads a question's session; `undefined` if it is missing or of another kind. */
  async #read(id: SessionId): Promise<RunState | undefined> {
    try {
      await using session = await this.#options.store.open(id, 'read');
      return isOfProgram(session.state) ? session.state : undefined;
    } catch (thrown) {
      if (isHitlError(thrown) && thrown.code === 'SESSION_NOT_FOUND') return undefined;
      throw thrown;
    }
  }

  /** Files the question if nobody did, so that it is there; another process may be filing it now. */
  async #filed(id: SessionId, question: Question, found: RunState | undefined): Promise<void> {
    if (found === undefined) await this.#options.admit?.(question);
    let known = found;
    for (let look = 1; known === undefined || callOf(known) === undefined; look += 1) {
      const isOurs = await this.#file(id, question, known);
      known = await this.#read(id);
      if (known !== undefined && isOurs) this.#options.filed?.(id, known);
      if (isOurs) return;
      if (look > MOST_LOOKS)
        throw new HitlError('SESSION_LOCKED', `another process has the question ${id}`, {
          hint: 'ask again with the same key',
        });
      await this.#options.clock.sleep(HELD_MS, new AbortController().signal);
    }
    checkSame(known, question);
  }

  /** Files the question, and completes a filing that a crashed process started; false if another process does. */
  async #file(
    id: SessionId,
    { tool, input, from, by, title: given }: Question,
    known: RunState | undefined,
  ): Promise<boolean> {
    const { store, clock } = this.#options;
    const options = { store, clock, model: clientModel({ name: tool, input }), tools: this.#all };
    const { question, action } = input;
    const title = given ?? [question, action].find((text) => typeof text === 'string') ?? tool;
    try {
      await using chat =
        known === undefined
          ? await openChat({ ...options, id, title, ...(by !== undefined && { by }) })
          : await openChat(id, options);
      const said = chat.runState.turns > 0;
      await (said ? chat.resume() : chat.say(`${from} asks`, by === undefined ? {} : { by }));
      return true;
    } catch (thrown) {
      if (!isHitlError(thrown) || !['SESSION_EXISTS', 'SESSION_LOCKED'].includes(thrown.code)) throw thrown;
      return false;
    }
  }

  /** Whether the time of an open question is over. */
  #isOver(known: RunState): boolean {
    const now = this.#options.clock.now();
    return openInterrupts(known).some(
      ({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) <= now,
    );
  }

  /** Whether an unused answer is queued for the session. */
  async #isAnswered(id: SessionId): Promise<boolean> {
    await using session = await this.#options.store.open(id, 'read');
    return (await session.answers().take()) !== undefined;
  }

  /** Continues after an answer; false if another process holds the session. */
  async #goOn(id: SessionId): Promise<boolean> {
    const { store, clock } = this.#options;
    let chat: Chat;
    try {
      chat = await openChat(id, { store, clock, model: clientModel(), tools: this.#all });
    } catch (thrown) {
      if (isHitlError(thrown) && thrown.code === 'SESSION_LOCKED') return false;
      throw thrown;
    }
    await using held = chat;
    await held.resume();
    return true;
  }

  get #all(): readonly Tool[] {
    return Object.values(this.#tools);
  }
}

/** Whether this program, in this folder, asked the question. */
function isFrom(known: RunState, from: string | undefined): boolean {
  return from === undefined || membersOf(callOf(known)?.request.input)['from'] === from;
}

/** Creates an empty file durably; false if it exists. */
function createdNow(file: string): boolean {
  try {
    flushed(openSync(file, 'wx', 0o600));
  } catch (thrown) {
    if (existsSync(file)) return false;
    throw thrown;
  }
  flushed(openSync(dirname(file), 'r'));
  return true;
}

function flushed(fd: number): void {
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** @throws HitlError BAD_INPUT if the key names another question. */
function checkSame(known: RunState, { tool, input, key }: Question): void {
  const call = callOf(known);
  if (call?.request.name === tool && jsonEquals(call.request.input, input)) return;
  throw new HitlError('BAD_INPUT', `the key \`${key ?? ''}\` names another question`, {
    hint: 'give this question its own key; a key belongs to one question permanently',
  });
}

function noQuestion(id: string): HitlError {
  return new HitlError('SESSION_NOT_FOUND', `unknown question \`${id}\``, {
    hint: 'use the id that `ask_human` or `request_approval` returned',
  });
}
