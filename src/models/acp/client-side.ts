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

/** Terminals whose output is kept for the agent. */
const MOST_TERMINALS = 50;

/** The answer to a request by the result of its call. */
export type AnswerOf = (
  response: Pick<ToolResponsePart, 'output' | 'isError'>,
  ran: JsonValue,
) => AgentAnswer;

/** Who answers the requests of an agent. */
export interface Answering {
  readonly agent: string;
  /** The open session. */
  session(): string;
  /** What is known of a call of the agent's own. */
  known(id: string): KnownCall;
  /** @param call what is asked for, or why it cannot be asked */
  ask(call: AskedCall | string, answer: AnswerOf): Promise<AgentAnswer>;
  /** Takes words for the next prompt. */
  say(words: string): void;
}

/** The client that an agent asks: each request is a call of a tool, or about a command that has ended. */
export function clientSide(sdk: AcpSdk, answering: Answering, stream: Stream): ClientConnection {
  const { RequestError } = sdk;
  const terminals = new Terminals();
  const missingIsEmpty = agentRow(answering.agent)?.missingIsEmpty === true;
  const ask = async (session: string, call: AskedCall | string, answer: AnswerOf): Promise<JsonObject> => {
    const isOwn = session === answering.session();
    const given = await answering.ask(isOwn ? call : 'it is of a session that is not open', answer);
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

/** Commands that have ended, by the ids that the agent has of them. */
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
