import type { AgentPlace, AgentProgram } from '../../../src/models/acp/index.js';
import { AcpModel } from '../../../src/models/acp/acp-model.js';
import { systemClock } from '../../../src/library/system-clock.js';

type Message = Readonly<Record<string, unknown>>;

/** An agent in this process that answers messages as it is told to, and notes what it hears. */
export class PlayedAgent {
  readonly heard: Message[] = [];
  readonly told: string[] = [];
  /** Starts so far. */
  starts = 0;
  readonly #hear: (agent: PlayedAgent, message: Message) => void;
  #lines: string[] = [];
  #wake: () => void = () => undefined;
  #end: (how: string) => void = () => undefined;
  #isOver = false;

  constructor(hear: (agent: PlayedAgent, message: Message) => void) {
    this.#hear = hear;
  }

  /** A model with this agent. */
  model(silenceMs?: number): AcpModel {
    const place: AgentPlace = {
      folder: '/projects',
      env: {},
      start: () => Promise.resolve(this.#program()),
      told: (line) => {
        this.told.push(line);
      },
    };
    return new AcpModel({
      ...{ agent: 'gemini', place, clock: systemClock },
      ...(silenceMs !== undefined && { silenceMs }),
    });
  }

  send(message: object): void {
    this.print(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  print(line: string): void {
    this.#lines.push(line);
    this.#wake();
  }

  /** Says something in the session. */
  say(text: string, sessionId = 'one'): void {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    this.send({ method: 'session/update', params: { sessionId, update } });
  }

  /** Asks the client for something. */
  ask(id: number | string, method: string, params: object): void {
    this.send({ id, method, params: { sessionId: 'one', ...params } });
  }

  die(): void {
    this.#isOver = true;
    this.#wake();
    this.#end('exit 1: no more');
  }

  #program(): AgentProgram {
    this.starts += 1;
    this.#lines = [];
    this.#isOver = false;
    const ended = new Promise<string>((resolve) => {
      this.#end = resolve;
    });
    return {
      output: this.#output(),
      ended,
      write: (line) => {
        const message = JSON.parse(line) as Message;
        this.heard.push(message);
        queueMicrotask(() => {
          this.#hear(this, message);
        });
        return Promise.resolve();
      },
      close: () => {
        this.die();
        return Promise.resolve();
      },
    };
  }

  async *#output(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) yield new TextEncoder().encode(`${line}\n`);
      else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/** Greets, opens the session `one`, and leaves the prompts to `play`. */
export function greeting(
  play: (agent: PlayedAgent, message: Message) => void,
  { loads = true }: { readonly loads?: boolean } = {},
): PlayedAgent {
  return new PlayedAgent((agent, message) => {
    const { id, method } = message;
    if (method === 'initialize')
      agent.send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: loads } } });
    else if (method === 'session/new') agent.send({ id, result: { sessionId: 'one' } });
    else if (method === 'session/load') agent.send({ id, result: {} });
    else play(agent, message);
  });
}
