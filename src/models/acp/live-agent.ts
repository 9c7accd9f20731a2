// Invariants:
// A1 A request of the agent is answered once, in a turn that is open, and only of its own session.
// A2 What it says is taken in the order in which it came: updates before the requests and the end that follow them.
// A3 No more than `MOST_OPEN` of its requests wait, and no more of what it says than `AgentEvents` counts.
import type {
  AnyMessage,
  AuthMethod,
  ClientConnection,
  InitializeResponse,
  NewSessionRequest,
  Stream,
} from '@agentclientprotocol/sdk';

import type { Clock, JsonObject } from '../../core/index.js';
import { HitlError, isHitlError, isJsonObject, membersOf, messageOf, onOneLine } from '../../core/index.js';
import type { AgentEvent, OpenRequest } from './agent-events.js';
import { AgentEvents } from './agent-events.js';
import type { AgentPlace, AgentProgram } from './agent-program.js';
import { agentRow } from './agents.js';
import type { AgentAnswer, AskedCall } from './asked.js';
import { INVALID } from './asked.js';
import type { Answering, AnswerOf } from './client-side.js';
import { clientSide } from './client-side.js';
import type { Settled } from './history.js';
import type { AcpSdk } from './sdk.js';
import { loadAcpSdk } from './sdk.js';
import { AgentLines, Traffic } from './traffic.js';
import type { OwnCalls } from './updates.js';

/** Requests of the agent that wait at a time. */
const MOST_OPEN = 50;
/** Time limit for a start, and for the agent to end its turn when it is told to, in milliseconds. */
const START_MS = 60_000;
const CANCEL_MS = 3_000;
const MOST_WORDS = 500;
const LOGIN_WANTED = -32_000;
const STOPPED = 'the user stopped it';

/** What an agent can do. */
interface Abilities {
  readonly loads: boolean;
  readonly takesImages: boolean;
}

/** A running agent with its session. */
export class LiveAgent {
  /** What is known of its own calls. */
  readonly calls: OwnCalls = new Map();
  /** Requests that wait for the results of calls, by the refs of these. */
  readonly waiting = new Map<string, OpenRequest>();
  /** Words of ours for its next prompt, and blocks of what people said. */
  readonly words: string[] = [];
  readonly prompts: JsonObject[] = [];
  /** Messages of the session that it has heard, by number. */
  heard = 0;
  /** What its session has cost, in US dollars. */
  costUsd = 0;
  readonly #sdk: AcpSdk;
  readonly #agent: string;
  readonly #clock: Clock;
  readonly #program: AgentProgram;
  readonly #traffic = new Traffic();
  readonly #events = new AgentEvents();
  #connection: ClientConnection | undefined;
  #incoming: ReadableStreamDefaultController<AnyMessage> | undefined;
  #methods: readonly AuthMethod[] = [];
  #session: string | undefined;
  #abilities: Abilities = { loads: false, takesImages: false };
  #open = 0;
  #isPrompting = false;
  #end: HitlError | undefined;

  private constructor(sdk: AcpSdk, agent: string, program: AgentProgram, clock: Clock) {
    this.#sdk = sdk;
    this.#agent = agent;
    this.#program = program;
    this.#clock = clock;
    void program.ended.then((how) => {
      this.#ended(
        new HitlError(
          'MODEL_FAILED',
          `the agent \`${agent}\` ended: ${onOneLine(how).slice(0, MOST_WORDS)}`,
          {
            hint: 'the session is saved and can be resumed; hitl doctor tells which agents are here',
          },
        ),
      );
    });
  }

  /** Starts an agent, and greets it. @throws HitlError */
  static async start(
    agent: string,
    place: AgentPlace,
    { clock, offers }: { readonly clock: Clock; readonly offers: ReadonlySet<string> },
    signal: AbortSignal,
  ): Promise<LiveAgent> {
    const sdk = await loadAcpSdk();
    const live = new LiveAgent(sdk, agent, await place.start(agent), clock);
    try {
      await live.#greet(place, offers, signal);
    } catch (thrown) {
      await live.close();
      signal.throwIfAborted();
      throw live.#problem(thrown);
    }
    return live;
  }

  /** Whether its process is gone. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  get isPrompting(): boolean {
    return this.#isPrompting;
  }

  /** Its own id of the session. */
  get session(): string {
    return this.#session ?? '';
  }

  get takesImages(): boolean {
    return this.#abilities.takesImages;
  }

  /**
   * Opens its session: that of before where it can, else a new one.
   * @returns whether it is that of before
   * @throws HitlError MODEL_FAILED
   */
  async openSession(before: string | undefined, folder: string, signal: AbortSignal): Promise<boolean> {
    try {
      const given: NewSessionRequest = { cwd: folder, mcpServers: [] };
      if (before !== undefined && this.#abilities.loads) {
        this.#session = before;
        const isLoaded = await this.#timely(
          this.#agentSide().request('session/load', { sessionId: before, ...given }),
          signal,
        ).then(
          () => true,
          () => false, // it has lost it: it gets a new one
        );
        this.#events.clear(); // it tells all of its past, which the journal has
        if (isLoaded) return true;
        this.#agentSide();
        signal.throwIfAborted();
      }
      const { sessionId } = await this.#timely(this.#agentSide().request('session/new', given), signal);
      this.#session = sessionId;
      return false;
    } catch (thrown) {
      signal.throwIfAborted();
      throw this.#problem(thrown);
    }
  }

  /** Whether there is something to say to it. */
  get hasWords(): boolean {
    return this.words.length > 0 || this.prompts.length > 0;
  }

  /** Sends what there is to say, as a prompt whose turn ends by an event; false if there is nothing. */
  promptNext(): boolean {
    if (!this.hasWords) return false;
    const text = this.words.splice(0).join('\n\n');
    const said = this.prompts.splice(0);
    this.#prompt([...(text === '' ? [] : [{ type: 'text', text }]), ...said]);
    return true;
  }

  #prompt(blocks: readonly JsonObject[]): void {
    this.#isPrompting = true;
    const params = { sessionId: this.session, prompt: blocks };
    const answered: Promise<unknown> = this.#agentSide().request('session/prompt', params);
    void answered.then(
      (response) => {
        const { stopReason } = membersOf(response);
        this.#events.put({ type: 'stopped', reason: typeof stopReason === 'string' ? stopReason : 'other' });
      },
      (thrown: unknown) => {
        this.#events.put({ type: 'failed', error: this.#problem(thrown) });
      },
    );
  }

  /** Waits for the next event. @throws HitlError MODEL_FAILED if it is silent for too long, or has ended */
  async next(signal: AbortSignal, silenceMs: number): Promise<AgentEvent> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const silent = this.#clock.sleep(silenceMs, stop.signal).then(
      () => true,
      () => false,
    );
    try {
      for (;;) {
        signal.throwIfAborted();
        const event = this.#taken();
        if (event !== undefined) return event;
        if (this.#end !== undefined) throw this.#end;
        if (await Promise.race([this.#events.news(either), silent])) throw this.#silent(silenceMs);
      }
    } finally {
      stop.abort();
    }
  }

  /** Takes what came at the same time: updates and requests, up to the end of the turn. */
  takeMore(): readonly AgentEvent[] {
    return this.#events.takeMore();
  }

  #silent(silenceMs: number): HitlError {
    const minutes = Math.round(silenceMs / 60_000);
    const message = `the agent \`${this.#agent}\` has said nothing for ${minutes} minutes`;
    return new HitlError('MODEL_FAILED', message, {
      hint: 'it was ended; the session is saved and can be resumed',
    });
  }

  /** Gives the results of calls to the requests that wait for them. */
  deliver(settled: readonly Settled[]): void {
    for (const { request, response } of settled) {
      this.waiting.get(request.ref)?.answer(response, request.input);
      this.waiting.delete(request.ref);
    }
    this.#refuseWaiting('it has no result');
  }

  /** Stops its turn: what it waits for is refused, and a turn that does not end ends its process. */
  async stopTurn(): Promise<void> {
    if (!this.#isOpen()) return;
    const stop = new AbortController();
    const late = this.#clock.sleep(CANCEL_MS, stop.signal).then(
      () => true,
      () => false,
    );
    try {
      await this.#agentSide().notify('session/cancel', { sessionId: this.session });
      this.#refuseWaiting(STOPPED);
      let isLate = false;
      while (!isLate && this.#isOpen()) {
        this.#refuseAsked();
        if (this.#isOpen()) isLate = await Promise.race([this.#events.news(stop.signal), late]);
      }
    } catch {
      // it is gone
    } finally {
      stop.abort();
    }
    if (this.#isOpen()) await this.close();
  }

  #isOpen(): boolean {
    return this.#isPrompting && this.#end === undefined;
  }

  /** Refuses what was asked and nobody has taken; the rest is dropped. */
  #refuseAsked(): void {
    for (let event = this.#taken(); event !== undefined; event = this.#taken())
      if (event.type === 'asked') event.request.answer({ output: STOPPED, isError: true }, null);
  }

  async close(): Promise<void> {
    this.#ended(new HitlError('MODEL_FAILED', `the agent \`${this.#agent}\` was ended`));
    this.#connection?.close();
    await this.#program.close();
  }

  #agentSide(): ClientConnection['agent'] {
    if (this.#end !== undefined) throw this.#end;
    if (this.#connection === undefined) throw new HitlError('INTERNAL', 'the agent was not greeted');
    return this.#connection.agent;
  }

  async #greet(place: AgentPlace, offers: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const connection = this.#connect();
    this.#connection = connection;
    void this.#read();
    const { PROTOCOL_VERSION } = this.#sdk;
    const greeting = await this.#timely(
      connection.agent.request('initialize', {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: { name: 'hitl', version: '1' },
        clientCapabilities: {
          fs: { readTextFile: offers.has('read_file'), writeTextFile: offers.has('write_file') },
          terminal: offers.has('run_command'),
        },
      }),
      signal,
    );
    if (greeting.protocolVersion !== PROTOCOL_VERSION)
      throw new HitlError(
        'MODEL_FAILED',
        `the agent \`${this.#agent}\` speaks version ${greeting.protocolVersion} of its protocol, and hitl version ${PROTOCOL_VERSION}`,
        { hint: 'install another version of the agent' },
      );
    this.#abilities = abilitiesOf(greeting);
    this.#methods = greeting.authMethods ?? [];
    const method = keyMethod(this.#agent, place.env, this.#methods);
    if (method !== undefined)
      await this.#timely(connection.agent.request('authenticate', { methodId: method }), signal);
  }

  #connect(): ClientConnection {
    const answering: Answering = {
      agent: this.#agent,
      session: () => this.session,
      known: (id) => this.calls.get(id)?.told ?? {},
      ask: (call, answer) => this.#asked(call, answer),
      say: (words) => {
        this.words.push(words);
      },
    };
    return clientSide(this.#sdk, answering, this.#stream());
  }

  /** Puts a request of the agent among the events; settles with its answer (A1, A3). */
  #asked(call: AskedCall | string, answer: AnswerOf): Promise<AgentAnswer> {
    const problem = this.#isPrompting
      ? this.#open < MOST_OPEN
        ? undefined
        : `more than ${MOST_OPEN} requests wait`
      : 'no turn is open';
    if (typeof call === 'string' || problem !== undefined) {
      const message = typeof call === 'string' ? call : (problem ?? '');
      return Promise.resolve({ error: { code: INVALID, message } });
    }
    this.#open += 1;
    return new Promise((resolve) => {
      const request: OpenRequest = {
        call,
        answer: (response, ran) => {
          this.#open -= 1;
          resolve(answer(response, ran));
        },
      };
      this.#events.put({ type: 'asked', request });
    });
  }

  #refuseWaiting(why: string): void {
    for (const request of this.waiting.values()) request.answer({ output: why, isError: true }, null);
    this.waiting.clear();
  }

  /** The messages between the program and the protocol's package, which gets none that does not count. */
  #stream(): Stream {
    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        this.#incoming = controller;
      },
    });
    const writable = new WritableStream<AnyMessage>({
      write: async (message) => {
        this.#traffic.sent(message);
        await this.#program.write(JSON.stringify(message)).catch(() => undefined); // how it ended is told once
      },
    });
    return { readable, writable };
  }

  async #read(): Promise<void> {
    const lines = new AgentLines();
    try {
      for await (const chunk of this.#program.output) for (const line of lines.push(chunk)) this.#hear(line);
    } catch (thrown) {
      this.#ended(
        isHitlError(thrown) ? thrown : new HitlError('MODEL_FAILED', messageOf(thrown), { cause: thrown }),
      );
      await this.#program.close();
    }
  }

  #hear(line: string): void {
    if (this.#end !== undefined) return;
    const heard = this.#traffic.read(line);
    if (heard === undefined) return;
    this.#events.count(line.length); // A3
    if (heard.type === 'message') {
      if (isMessage(heard.message)) this.#incoming?.enqueue(heard.message);
      return;
    }
    const { sessionId, update } = membersOf(heard.params);
    const isOwn = heard.method === 'session/update' && sessionId === this.#session;
    if (!isOwn || !isJsonObject(update)) return;
    this.#events.put({ type: 'update', update }); // A2
  }

  #taken(): AgentEvent | undefined {
    const event = this.#events.take();
    if (event?.type === 'stopped' || event?.type === 'failed') this.#isPrompting = false;
    return event;
  }

  #ended(why: HitlError): void {
    if (this.#end !== undefined) return;
    this.#end = why;
    this.waiting.clear();
    this.#events.wake();
    try {
      this.#incoming?.close();
    } catch {
      // it is closed
    }
  }

  /** Waits for an answer of the agent's, no longer than a start may take. */
  async #timely<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
    const stop = new AbortController();
    const ended = this.#program.ended.then(() => {
      throw this.#end ?? new HitlError('MODEL_FAILED', `the agent \`${this.#agent}\` ended`);
    });
    const late = this.#clock.sleep(START_MS, AbortSignal.any([signal, stop.signal])).then(() => {
      throw new HitlError(
        'MODEL_FAILED',
        `the agent \`${this.#agent}\` did not answer within ${START_MS / 1000} s`,
        {
          hint: 'check that it is an agent of the Agent Client Protocol, and try again',
        },
      );
    });
    try {
      return await Promise.race([answer, ended, late]);
    } finally {
      stop.abort();
      for (const one of [answer, ended, late]) one.catch(() => undefined);
    }
  }

  /** What went wrong, as an error of ours. */
  #problem(thrown: unknown): HitlError {
    if (isHitlError(thrown)) return thrown;
    if (!(thrown instanceof this.#sdk.RequestError))
      return this.#end ?? new HitlError('MODEL_FAILED', messageOf(thrown), { cause: thrown });
    const { code } = thrown;
    const message = onOneLine(thrown.message).slice(0, MOST_WORDS);
    if (code === LOGIN_WANTED)
      return new HitlError('MODEL_FAILED', `the agent \`${this.#agent}\` needs a login: ${message}`, {
        hint: loginHint(this.#agent, this.#methods),
        cause: thrown,
      });
    const why = membersOf(thrown.data)['details'];
    const more = typeof why === 'string' ? `: ${onOneLine(why).slice(0, MOST_WORDS)}` : '';
    return new HitlError(
      'MODEL_FAILED',
      `the agent \`${this.#agent}\` answered with an error: ${message}${more}`,
      {
        hint: 'the session is saved and can be resumed',
        cause: thrown,
      },
    );
  }
}

function isMessage(message: JsonObject): message is JsonObject & AnyMessage {
  return message['jsonrpc'] === '2.0';
}

function abilitiesOf({ agentCapabilities: can }: InitializeResponse): Abilities {
  return { loads: can?.loadSession === true, takesImages: can?.promptCapabilities?.image === true };
}

/** The login method that takes a key which is set. */
function keyMethod(
  agent: string,
  env: AgentPlace['env'],
  methods: readonly AuthMethod[],
): string | undefined {
  const keys = Object.entries(agentRow(agent)?.keys ?? {});
  return keys.find(
    ([variable, id]) => (env[variable] ?? '') !== '' && methods.some((one) => one.id === id),
  )?.[1];
}

function loginHint(agent: string, methods: readonly AuthMethod[]): string {
  const row = agentRow(agent);
  const ways = methods.slice(0, 10).map(({ name }) => onOneLine(name).slice(0, 80));
  const offered = ways.length === 0 ? '' : ` (its ways: ${ways.join(', ')})`;
  return `${row?.login ?? 'log in with its own program'}${offered}; then resume the session`;
}
