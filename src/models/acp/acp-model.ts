// Invariants:
// M1 What an agent asks for is a request of its reply: it is answered by the result of that call, and by nothing else.
// M2 The agent's session is in the journal; its process is not: a process that is gone is started again, and told what it
//    has not heard.
import type {
  Clock,
  JsonObject,
  Message,
  ModelEvent,
  ModelReply,
  ModelRequest,
  Part,
  ReplyEnd,
  ToolRequestPart,
} from '../../core/index.js';
import { HitlError, textOf, toolRef } from '../../core/index.js';
import type { CreatedModel } from '../created-model.js';
import { refMinter } from '../request-facts.js';
import type { AgentPlace } from './agent-program.js';
import { ACP } from './agents.js';
import { PERMISSION_TOOL } from './asked.js';
import type { Since } from './history.js';
import {
  decidedWords,
  keptAnswer,
  keptRefs,
  marked,
  requestOf,
  sinceReply,
  transcriptWords,
} from './history.js';
import type { AgentEvent, OpenRequest } from './agent-events.js';
import { LiveAgent } from './live-agent.js';
import { costSince, ReplyParts } from './updates.js';

/** Requests that arrive within this many milliseconds become calls in the same reply. */
const TOGETHER_MS = 15;
/**
 * Milliseconds of silence after which an agent's turn is considered dead. The limit is generous, because the
 * agent's own commands may take a long time.
 */
const SILENCE_MS = 30 * 60_000;

/** Options for a model that uses an agent: the agent and the place where it works. */
export interface AcpModelOptions {
  /** Name of a known agent, or a command. */
  readonly agent: string;
  readonly place: AgentPlace;
  readonly clock: Clock;
  readonly silenceMs?: number;
}

/** Uses an agent as a model. Disposing of the model ends the agent's process. */
export class AcpModel implements CreatedModel, AsyncDisposable {
  readonly id: string;
  readonly isPriced = false;
  readonly takesEffort = false;
  readonly #options: AcpModelOptions;
  #live: LiveAgent | undefined;

  constructor(options: AcpModelOptions) {
    this.id = `${ACP}${options.agent}`;
    this.#options = options;
  }

  async *generate(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    signal.throwIfAborted();
    const since = sinceReply(request.messages, this.#options.agent);
    const before = this.#live;
    const isGone = before === undefined || before.hasEnded;
    const live = isGone ? await this.#started(request, since, signal) : before;
    const kept = isGone && (request.attempt ?? 1) === 1 ? keptRefs(since.settled) : [];
    if (!isGone) this.#goOn(live, request, since);
    let isOver = false;
    try {
      const reply = yield* this.#turn(live, request, kept, signal);
      isOver = true;
      yield { type: 'reply', reply };
    } catch (thrown) {
      if (!signal.aborted) {
        await live.close();
        this.#live = undefined;
        isOver = true;
      }
      throw thrown;
    } finally {
      if (!isOver) await live.stopTurn();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#live?.close();
    this.#live = undefined;
  }

  /** Starts the agent and prepares its first prompt (M2). */
  async #started(request: ModelRequest, since: Since, signal: AbortSignal): Promise<LiveAgent> {
    const { agent, place, clock } = this.#options;
    const offers = new Set(request.tools.map(({ name }) => name));
    const live = await LiveAgent.start(agent, place, { clock, offers }, signal);
    this.#live = live;
    try {
      const isLoaded = await live.openSession(since.session, place.folder, signal);
      const messages = request.messages.toArray();
      const past = messages.slice(0, since.said[0]?.at ?? messages.length);
      if (!isLoaded && past.some(({ role }) => role === 'model')) {
        place.told(
          `${agent} cannot load its session: starting a new one, with the conversation so far as its first prompt`,
        );
        live.words.push(
          `This session was interrupted, and you are starting over. The conversation so far:\n\n${transcriptWords(past)}`,
        );
      }
      const words = decidedWords(since.settled, (request.attempt ?? 1) === 1);
      if (words !== '') live.words.push(words);
      this.#say(live, request, since);
    } catch (thrown) {
      await live.close();
      this.#live = undefined;
      throw thrown;
    }
    return live;
  }

  /** Sends a running agent the results of its requests, and new user messages. */
  #goOn(live: LiveAgent, request: ModelRequest, since: Since): void {
    if (live.isPrompting) live.deliver(since.settled);
    else if (since.settled.length > 0 && live.heard < request.messages.length)
      live.words.push(decidedWords(since.settled, false));
    this.#say(live, request, since);
  }

  #say(live: LiveAgent, request: ModelRequest, { said }: Since): void {
    for (const { at, message } of said) if (at >= live.heard) live.prompts.push(...blocksOf(message, live));
    live.heard = request.messages.length;
  }

  async *#turn(
    live: LiveAgent,
    request: ModelRequest,
    kept: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, ModelReply> {
    const parts = new ReplyParts(live.calls);
    const now = { kept, given: new Array<string>() };
    const { silenceMs = SILENCE_MS, clock } = this.#options;
    for (;;) {
      if (!live.isPrompting && !live.promptNext())
        return this.#reply(live, parts, { ...now, requests: [], end: 'stop' });
      const event = await live.next(signal, silenceMs);
      switch (event.type) {
        case 'update':
          yield* parts.add(event.update);
          break;
        case 'asked': {
          await clock.sleep(TOGETHER_MS, signal);
          const together = [event, ...live.takeMore()];
          for (const update of updatesIn(together)) yield* parts.add(update);
          const asked = requestsIn(together);
          const requests = this.#requests(live, request, asked, now);
          if (requests.length === 0) break; // all of it was known
          for (const { name, input } of requests)
            yield { type: 'tool-input-delta', name, characters: JSON.stringify(input).length };
          return this.#reply(live, parts, { ...now, requests, end: 'tool-use' });
        }
        case 'stopped':
          if (!live.hasWords)
            return this.#reply(live, parts, { ...now, requests: [], end: endOf(event.reason) });
          break;
        case 'failed':
          throw event.error;
      }
    }
  }

  /**
   * Converts an agent's requests to tool requests in its reply (M1). If a result was kept for the same
   * request, it is used as the answer. A permission request always becomes a call, so that the journal
   * records it.
   */
  #requests(
    live: LiveAgent,
    request: ModelRequest,
    asked: readonly OpenRequest[],
    now: { readonly kept: readonly string[]; readonly given: string[] },
  ): readonly ToolRequestPart[] {
    const refOf = refMinter(request);
    const requests: ToolRequestPart[] = [];
    for (const one of asked) {
      const answer = keptAnswer(request.messages, one.call, now);
      if (answer !== undefined) now.given.push(answer.ref);
      const { name, input } = one.call;
      if (answer !== undefined && name !== PERMISSION_TOOL) {
        one.answer(answer.response, answer.ran);
        continue;
      }
      const ref = toolRef(refOf(requests.length));
      live.waiting.set(ref, one);
      requests.push(
        requestOf(ref, { name, input: answer === undefined ? input : { ...input, earlier: answer.ref } }),
      );
    }
    return requests;
  }

  #reply(
    live: LiveAgent,
    parts: ReplyParts,
    {
      kept,
      given,
      requests,
      end,
    }: {
      readonly kept: readonly string[];
      readonly given: readonly string[];
      readonly requests: readonly Part[];
      readonly end: ReplyEnd;
    },
  ): ModelReply {
    const said = [...parts.parts, ...requests];
    // A reply without words has its mark all the same.
    const content: readonly Part[] =
      said.length > 0 ? said : [{ type: 'data', data: { type: 'agent_turn' } }];
    const usage = costSince(live.costUsd, parts.costUsd);
    live.costUsd = Math.max(live.costUsd, parts.costUsd ?? 0);
    live.heard += 1; // its own reply
    return {
      content: marked(content, { agent: this.#options.agent, session: live.session, kept, given }),
      end,
      ...(usage !== undefined && { usage }),
    };
  }
}

function updatesIn(events: readonly AgentEvent[]): readonly JsonObject[] {
  return events.flatMap((event) => (event.type === 'update' ? [event.update] : []));
}

function requestsIn(events: readonly AgentEvent[]): readonly OpenRequest[] {
  return events.flatMap((event) => (event.type === 'asked' ? [event.request] : []));
}

const ENDS: Readonly<Record<string, ReplyEnd>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  max_turn_requests: 'other',
  refusal: 'refusal',
  cancelled: 'other',
};

function endOf(reason: string): ReplyEnd {
  return (Object.hasOwn(ENDS, reason) ? ENDS[reason] : undefined) ?? 'other';
}

const DATA_URL = /^data:(image\/[\w.+-]{1,60});base64,(.*)$/su;

/**
 * Converts a user message to prompt blocks. Files that the agent does not accept are replaced with text that
 * mentions them.
 */
function blocksOf(message: Message, { takesImages }: LiveAgent): readonly JsonObject[] {
  const text = textOf(message);
  const files = message.content.flatMap((part): readonly JsonObject[] => {
    if (part.type !== 'media') return [];
    const [, mimeType, data] = DATA_URL.exec(part.url) ?? [];
    return takesImages && mimeType !== undefined && data !== undefined
      ? [{ type: 'image', mimeType, data }]
      : [
          {
            type: 'text',
            text: `[an attachment of type ${part.contentType ?? 'unknown'} is not shown to this agent]`,
          },
        ];
  });
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...files];
}

/** @throws HitlError USAGE if `place` is missing, because the library does not start agents on its own */
export function agentPlace(place: AgentPlace | undefined, agent: string): AgentPlace {
  if (place !== undefined) return place;
  throw new HitlError(
    'USAGE',
    `\`${ACP}${agent}\` can only be started by the hitl program, not by the library`,
    {
      hint: 'use `hitl chat --agent`, or pass `agents` to `createModel`',
    },
  );
}
