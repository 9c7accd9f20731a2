import type { ClientConnection, Stream } from '@agentclientprotocol/sdk';

import type { JsonObject, JsonValue, ToolResponsePart } from '../../core/index.js';
import { membersOf } from '../../core/index.js';
import { agentRow } from './agents.js';
import type { AgentAnswer, AskedCall, EndedTerminal, KnownCall } from './asked.js';
import {
  commandCall,
  endedTerminal,
  NOT_FOUND,
  permissionAnswer,
  permissionCall,
  readAnswer,
  readCall,
  writeAnswer,
  writeCall,
} from './asked.js';
import type { AcpSdk } from './sdk.js';

/** Maximum number of terminals whose output is kept for an agent. */
const MOST_TERMINALS = 50;

/** Converts the result of a call to an answer to the agent's request. */
export type AnswerOf = (
  response: Pick<ToolResponsePart, 'output' | 'isError'>,
  ran: JsonValue,
) => AgentAnswer;

/** Functions that handle an agent's requests. */
export interface Answering {
  readonly agent: string;
  /** The open session. */
  session(): string;
  /** Returns the details known about one of the agent's own calls. */
  known(id: string): KnownCall;
  /** @param call the call to ask about, or the reason that this is not possible */
  ask(call: AskedCall | string, answer: AnswerOf): Promise<AgentAnswer>;
  /** Adds text to the next prompt. */
  say(words: string): void;
}

/**
 * Creates the client side of the connection, which handles an agent's requests. Each request becomes a tool
 * call or refers to a command that has already ended.
 */
export function clientSide(sdk: AcpSdk, answering: Answering, stream: Stream): ClientConnection {
  const { RequestError } = sdk;
  const terminals = new Terminals();
  const missingIsEmpty = agentRow(answering.agent)?.missingIsEmpty === true;
  const ask = async (session: string, call: AskedCall | string, answer: AnswerOf): Promise<JsonObject> => {
    const isOwn = session === answering.session();
    const given = await answering.ask(isOwn ? call : 'it belongs to a session that is not open', answer);
    if (given.says !== undefined) answering.say(given.says);
    if ('error' in given) throw new RequestError(given.error.code, given.error.message);
    return given.result;
  };
  const terminal = ({ sessionId, terminalId }: { sessionId: string; terminalId: string }): EndedTerminal => {
    const found = sessionId === answering.session() ? terminals.get(terminalId) : undefined;
    if (found === undefined) throw RequestError.resourceNotFound(terminalId);
    return found;
  };
  return sdk
    .client({ name: 'hitl' })
    .onRequest('fs/read_text_file', async ({ params }) => {
      const call = readCall(params);
      const answer: AnswerOf = (response) => {
        const given = readAnswer(call.input, response);
        const isMissing = 'error' in given && given.error.code === NOT_FOUND;
        return isMissing && missingIsEmpty ? { result: { content: '' } } : given;
      };
      const { content } = await ask(params.sessionId, call, answer);
      return { content: typeof content === 'string' ? content : '' };
    })
    .onRequest('fs/write_text_file', async ({ params }) => {
      const call = writeCall(params);
      await ask(params.sessionId, call, (response, ran) => writeAnswer(call.input, ran, response));
      return {};
    })
    .onRequest('terminal/create', async ({ params }) => {
      const call = commandCall(params);
      const limit = params.outputByteLimit ?? undefined;
      const { terminalId } = await ask(params.sessionId, call, (response, ran) => {
        const ended = endedTerminal({ asked: call.input, ran, limit }, response);
        return 'output' in ended ? { result: { terminalId: terminals.keep(ended) } } : ended;
      });
      return { terminalId: typeof terminalId === 'string' ? terminalId : '' };
    })
    .onRequest('terminal/output', ({ params }) => {
      const { output, truncated, exitCode, signal } = terminal(params);
      return { output, truncated, exitStatus: { exitCode, signal } };
    })
    .onRequest('terminal/wait_for_exit', ({ params }) => {
      const { exitCode, signal } = terminal(params);
      return { exitCode, signal };
    })
    .onRequest('terminal/kill', ({ params }) => {
      terminal(params); // it has ended
      return {};
    })
    .onRequest('terminal/release', ({ params }) => {
      terminal(params);
      terminals.release(params.terminalId);
      return {};
    })
    .onRequest('session/request_permission', async ({ params }) => {
      const { toolCall, options } = params;
      const call = permissionCall(answering.agent, params, answering.known(toolCall.toolCallId));
      const title = typeof call === 'string' ? '' : call.input['title'];
      const about = { title: typeof title === 'string' ? title : '' };
      const { outcome } = await ask(params.sessionId, call, (response) =>
        permissionAnswer(about, options, response),
      );
      const { optionId } = membersOf(outcome);
      return {
        outcome: typeof optionId === 'string' ? { outcome: 'selected', optionId } : { outcome: 'cancelled' },
      };
    })
    .connect(stream);
}

/** Stores ended commands by the terminal id that was given to the agent. */
class Terminals {
  readonly #ended = new Map<string, EndedTerminal>();
  #made = 0;

  get(id: string): EndedTerminal | undefined {
    return this.#ended.get(id);
  }

  keep(ended: EndedTerminal): string {
    this.#made += 1;
    const id = `hitl-${this.#made}`;
    this.#ended.set(id, ended);
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined && this.#ended.size > MOST_TERMINALS) this.#ended.delete(oldest);
    return id;
  }

  release(id: string): void {
    this.#ended.delete(id);
  }
}
