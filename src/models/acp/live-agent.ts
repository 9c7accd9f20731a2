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

/** Maximum number of open requests from an agent. */
const MOST_OPEN = 50;
/**
 * Time limits in milliseconds: for responses while the agent starts, and for the end of a turn after it has
 * been cancelled.
 */
const START_MS = 60_000;
const CANCEL_MS = 3_000;
const MOST_WORDS = 500;
const LOGIN_WANTED = -32_000;
const STOPPED = 'the user stopped it';

/** Capabilities of an agent. */
interface Abilities {
  readonly loads: boolean;
  readonly takesImages: boolean;
}

/** A running agent and its session. */
export class LiveAgent {
  /** Details known about the agent's own calls. */
  readonly calls: OwnCalls = new Map();
  /** The agent's requests that are waiting for the result of a call, by the ref of the call. */
  readonly waiting = new Map<string, OpenRequest>();
  /** Content of the agent's next prompt: text from hitl, and blocks from user messages. */
  readonly words: string[] = [];
  readonly prompts: JsonObject[] = [];
  /** Number of messages in the history that the agent has received. */
  heard = 0;
  /** Cost of the agent's session so far, in US dollars. */
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
            hint: 'the session is saved and can be resumed; hitl doctor lists the installed agents',
          },
        ),
      );
    });
  }

  /**
   * Starts an agent and initializes the connection.
   * @throws HitlError
   */
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

  /** Whether the agent's process has ended. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  get isPrompting(): boolean {
    return this.#isPrompting;
  }

  /** Session id assigned by the agent. */
  get session(): string {
    return this.#session ?? '';
  }

  get takesImages(): boolean {
    return this.#abilities.takesImages;
  }

  /**
   * Loads the agent's previous session if possible, otherwise creates a new one.
   * @returns whether the previous session was loaded
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

  /** Whether there is anything to send with the next prompt. */
  get hasWords(): boolean {
    return this.words.length > 0 || this.prompts.length > 0;
  }

  /**
   * Sends pending text and messages as a prompt. An event reports the end of the resulting turn. Returns
   * false if nothing is pending.
   */
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

  /**
   * Waits for the next event from the agent.
   * @throws HitlError MODEL_FAILED if the agent is silent for too long or has ended
   */
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

  /** Takes the other updates and requests that have already arrived, up to the end of the turn. */
  takeMore(): readonly AgentEvent[] {
    return this.#events.takeMore();
  }

  #silent(silenceMs: number): HitlError {
    const minutes = Math.round(silenceMs / 60_000);
    const message = `the agent \`${this.#agent}\` has been silent for ${minutes} minutes`;
    return new HitlError('MODEL_FAILED', message, {
      hint: 'the agent was stopped; the session is saved and can be resumed',
    });
  }

  /** Passes the results of calls to the requests that are waiting for them. */
  deliver(settled: readonly Settled[]): void {
    for (const { request, response } of settled) {
      this.waiting.get(request.ref)?.answer(response, request.input);
      this.waiting.delete(request.ref);
    }
    this.#refuseWaiting('the request has no result');
  }

  /**
   * Cancels the agent's turn and refuses its open requests. If the turn does not end in time, ends the
   * process.
   */
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

  /** Refuses requests that have been received but not processed yet. Discards all other events. */
  #refuseAsked(): void {
    for (let event = this.#taken(); event !== undefined; event = this.#taken())
      if (event.type === 'asked') event.request.answer({ output: STOPPED, isError: true }, null);
  }

  async close(): Promise<void> {
    this.#ended(new HitlError('MODEL_FAILED', `the agent \`${this.#agent}\` was stopped`));
    this.#connection?.close();
    await this.#program.close();
  }

  #agentSide(): ClientConnection['agent'] {
    if (this.#end !== undefined) throw this.#end;
    if (this.#connection === undefined) throw new HitlError('INTERNAL', 'the agent is not initialized');
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
        `the agent \`${this.#agent}\` uses protocol version ${greeting.protocolVersion}, but hitl uses version ${PROTOCOL_VERSION}`,
        { hint: 'install a different version of the agent' },
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

  /** Queues an agent's request as an event. Resolves with the answer (A1, A3). */
  #asked(call: AskedCall | string, answer: AnswerOf): Promise<AgentAnswer> {
    const problem = this.#isPrompting
      ? this.#open < MOST_OPEN
        ? undefined
        : `more than ${MOST_OPEN} requests are waiting`
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

  /**
   * Returns the message stream that connects the program with the protocol SDK. Only valid messages reach the
   * SDK.
   */
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

  /** Waits for a response from the agent, up to the time limit for starting. */
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
          hint: 'check that it supports the Agent Client Protocol, and try again',
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

  /** Converts any thrown value to a `HitlError`. */
  #problem(thrown: unknown): HitlError {
    if (isHitlError(thrown)) return thrown;
    if (!(thrown instanceof this.#sdk.RequestError))
      return this.#end ?? new HitlError('MODEL_FAILED', messageOf(thrown), { cause: thrown });
    const { code } = thrown;
    const message = onOneLine(thrown.message).slice(0, MOST_WORDS);
    if (code === LOGIN_WANTED)
      return new HitlError('MODEL_FAILED', `the agent \`${this.#agent}\` requires a login: ${message}`, {
        hint: loginHint(this.#agent, this.#methods),
        cause: thrown,
      });
    const why = membersOf(thrown.data)['details'];
    const more = typeof why === 'string' ? `: ${onOneLine(why).slice(0, MOST_WORDS)}` : '';
    return new HitlError(
      'MODEL_FAILED',
      `the agent \`${this.#agent}\` returned an error: ${message}${more}`,
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

/** Returns the agent's login method for a key that is set in the environment. */
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
  const offered = ways.length === 0 ? '' : ` (login methods: ${ways.join(', ')})`;
  return `${row?.login ?? 'log in with the agent’s own program'}${offered}; then resume the session`;
}
