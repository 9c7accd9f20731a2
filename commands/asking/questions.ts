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

/** The tools that another program uses to ask. */
export type AskingTool = 'ask_human' | 'request_approval';

/** A question from another program. */
export interface Question {
  /** One of `tools`. */
  readonly tool: string;
  readonly input: JsonObject;
  /** The asking program, as shown to people. */
  readonly from: string;
  /** The program's connection. The same question on another connection is a new question. */
  readonly connection: string;
  /** Idempotency key of the program's question. */
  readonly key?: string;
  /**
   * The entry point and, if known, the authenticated asker. Keeps the keys of programs with the same name
   * separate. Default: MCP.
   */
  readonly door?: readonly string[];
  /**
   * The asker, to the extent that their identity is proven. A rule may exclude the asker from answering.
   * Default: unknown.
   */
  readonly by?: Actor;
  /** Title of the question's session. Default: the text of the question. */
  readonly title?: string;
}

/** Options of questions. */
export interface QuestionsOptions {
  readonly store: SessionStore;
  /** The user's key. Session ids are derived from it, so that no other program can forge one. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
  /** Locates the empty file next to a session that marks the session's answer as handed out. */
  readonly beside: Pick<OutputStore, 'fileBeside'>;
  /** The tools used to ask. Default: those of `hitl mcp`. */
  readonly tools?: Readonly<Record<string, Tool>>;
  /** Called before a new question is filed. @throws HitlError to reject it */
  readonly admit?: (question: Question) => Promise<void>;
  /** Called for each new question, once it has been saved. */
  readonly filed?: (id: SessionId, state: RunState) => void;
}

/** Name of the file that marks a handed-out answer. */
const HANDED_OUT = 'handed-out';
/**
 * Minimum and maximum time between two checks of a session, in milliseconds. The longer the wait, the less
 * frequent the checks.
 */
const LOOK_MS = 250;
const LONGEST_LOOK_MS = 2_000;
/** Divisor for the time waited so far. The result is added to the delay between checks. */
const PATIENCE = 60;
/** Retry delay for a locked session, in milliseconds, and maximum number of retries. */
const HELD_MS = 50;
const MOST_LOOKS = 40;
/** Number of characters after `ask-` in an id. */
const ID_LENGTH = 12;
/** Maximum number of times that the same question may be asked without a key. */
const MOST_REPEATS = 10_000;
/** Maximum size of a question with all its details, in characters of JSON. */
const LONGEST = 300_000;

/** Questions from other programs, each in its own session. People answer them like any other question. */
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
    throw new HitlError('BAD_INPUT', 'asked too often', { hint: 'pass a unique `key`' });
  }

  /**
   * Returns the status of a program's question. If the question was answered or has expired, continues its
   * session first, so that the status is current.
   * @param from the program; `undefined` if the caller is known to be allowed to see the question
   * @throws HitlError SESSION_NOT_FOUND for another program's question.
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

  /** Waits up to `ms` milliseconds for an answer. */
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

  /** Returns a question and its answer, if any; `undefined` if the id is unknown. */
  async account(text: string): Promise<Account | undefined> {
    const known = isSessionId(text) ? await this.#read(text) : undefined;
    return known === undefined ? undefined : accountOf(known);
  }

  /** Returns a session's question if it is open. */
  async open(id: SessionId): Promise<Interrupt | undefined> {
    const known = await this.#read(id);
    return known === undefined ? undefined : openInterrupts(known)[0];
  }

  /** Records a decision made in the client, for users who set `--ask-in-client`. */
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
   * Durably marks an answer as handed out, and returns it. An approval is handed out only once (A4). If the
   * same question is then asked again without a key, a new question is created.
   */
  giveOut(id: SessionId, standing: Standing): Standing {
    if (standing.status === 'waiting') return standing;
    return this.handOut(id) || standing.status !== 'approved' ? standing : { ...standing, status: 'used' };
  }

  /** Durably marks an answer as handed out. Returns false if it was already marked. */
  handOut(id: SessionId): boolean {
    return createdNow(this.#options.beside.fileBeside(id, HANDED_OUT));
  }

  /** Whether the answer has been handed out. */
  wasGivenOut(id: SessionId): boolean {
    return existsSync(this.#options.beside.fileBeside(id, HANDED_OUT));
  }

  /** Lists a program's open questions. */
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

  /**
   * Reads a question's session. Returns `undefined` if there is none, or if it does not belong to a program's
   * question.
   */
  async #read(id: SessionId): Promise<RunState | undefined> {
    try {
      await using session = await this.#options.store.open(id, 'read');
      return isOfProgram(session.state) ? session.state : undefined;
    } catch (thrown) {
      if (isHitlError(thrown) && thrown.code === 'SESSION_NOT_FOUND') return undefined;
      throw thrown;
    }
  }

  /** Files the question if it has not been filed. Another process may be filing it at the same time. */
  async #filed(id: SessionId, question: Question, found: RunState | undefined): Promise<void> {
    if (found === undefined) await this.#options.admit?.(question);
    let known = found;
    for (let look = 1; known === undefined || callOf(known) === undefined; look += 1) {
      const isOurs = await this.#file(id, question, known);
      known = await this.#read(id);
      if (known !== undefined && isOurs) this.#options.filed?.(id, known);
      if (isOurs) return;
      if (look > MOST_LOOKS)
        throw new HitlError('SESSION_LOCKED', `another process holds the question ${id}`, {
          hint: 'ask again with the same key',
        });
      await this.#options.clock.sleep(HELD_MS, new AbortController().signal);
    }
    checkSame(known, question);
  }

  /**
   * Files the question, or completes a filing that a crashed process started. Returns false if another
   * process is doing so.
   */
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

  /** Whether an open question has expired. */
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

  /** Resumes the session after an answer or a timeout. Returns false if another process has it open. */
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

/** Whether the program `from` asked the question. Always true if `from` is `undefined`. */
function isFrom(known: RunState, from: string | undefined): boolean {
  return from === undefined || membersOf(callOf(known)?.request.input)['from'] === from;
}

/** Durably creates an empty file. Returns false if it already exists. */
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

/** @throws HitlError BAD_INPUT if the key belongs to a different question. */
function checkSame(known: RunState, { tool, input, key }: Question): void {
  const call = callOf(known);
  if (call?.request.name === tool && jsonEquals(call.request.input, input)) return;
  throw new HitlError('BAD_INPUT', `the key \`${key ?? ''}\` belongs to a different question`, {
    hint: 'give this question its own key; a key belongs to one question permanently',
  });
}

function noQuestion(id: string): HitlError {
  return new HitlError('SESSION_NOT_FOUND', `unknown question \`${id}\``, {
    hint: 'use the id that `ask_human` or `request_approval` returned',
  });
}
