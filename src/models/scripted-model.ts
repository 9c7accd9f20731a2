import type { Clock, Message, Model, ModelEvent, ModelRequest } from '../core/index.js';
import { HitlError } from '../core/index.js';
import { refMinter, replyCount } from './request-facts.js';
import { textMatcher } from './script-condition.js';
import { ScriptCursor } from './script-cursor.js';
import type { ScriptReply } from './script-reply.js';
import { toModelReply } from './script-reply.js';
import type { Pacing } from './stream-reply.js';
import { streamReply, streamText } from './stream-reply.js';

/** Options for `scriptedModel`. */
export interface ScriptedModelOptions {
  /** Default `script`. */
  readonly id?: string;
  /** Required for `delayMs` and `wordMs`. */
  readonly clock?: Clock;
  /** Pause after each word, in milliseconds. Default: 0. */
  readonly wordMs?: number;
  /** Returns the location of a reply, for error messages. Default: `reply <n>`. */
  readonly placeOf?: (index: number) => string;
}

/** A model that plays replies from a list and records its requests. */
export interface ScriptedModel extends Model {
  /** All requests so far, each with a copy of its messages. */
  readonly requests: readonly ScriptedRequest[];
  /**
   * Checks that every reply was used.
   * @throws HitlError BAD_SCRIPT listing the unused replies.
   */
  assertAllUsed(): void;
}

/** A model that plays replies from a list. */
export type PlayedModel = Omit<ScriptedModel, 'requests'>;

/** A request recorded by `scriptedModel`. */
export interface ScriptedRequest extends Omit<ModelRequest, 'messages'> {
  readonly messages: readonly Message[];
}

function checkReplies(
  replies: readonly ScriptReply[],
  options: ScriptedModelOptions,
  place: (n: number) => string,
): void {
  for (const [index, { delayMs, tools, end, when }] of replies.entries()) {
    const fail = (why: string, hint: string) =>
      new HitlError('BAD_SCRIPT', `${place(index)}: ${why}`, { hint });
    if (delayMs !== undefined && options.clock === undefined) {
      throw fail('`delayMs` needs a clock', 'pass `{ clock }` to scriptedModel');
    }
    if ((tools ?? []).length > 0 && end !== undefined && end !== 'tool-use') {
      throw fail(`a reply that ends with \`${end}\` cannot have tool requests`, 'leave out `tools` or `end`');
    }
    const { user, toolResult } = when ?? {};
    if (user !== undefined) textMatcher(user);
    const text = typeof toolResult === 'object' ? toolResult.text : toolResult;
    if (text !== undefined) textMatcher(text);
  }
}

function describeRequest({ messages }: ModelRequest): string {
  const last = messages.at(-1);
  const ending = last === undefined ? '' : ` (role of the last message: \`${last.role}\`)`;
  return `request ${replyCount(messages) + 1} of the session${ending}`;
}

/**
 * Creates the record of a request. To keep long sessions cheap, its messages are copied only when they are
 * read.
 */
function remembered(request: ModelRequest): ScriptedRequest {
  const { messages, ...rest } = request;
  const { length } = messages;
  return {
    ...rest,
    get messages() {
      return messages.toArray().slice(0, length);
    },
  };
}

/**
 * Creates a model that plays these replies, by position or by `when`. A request's position is the number of
 * model replies in it, so the script continues correctly after a crash or in a new process.
 * @throws HitlError BAD_SCRIPT for an invalid reply or, during a run, for a request that has no reply.
 */
export function scriptedModel(
  replies: readonly (ScriptReply | string)[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const requests: ScriptedRequest[] = [];
  const model = playedModel(replies, options, (request) => void requests.push(remembered(request)));
  return { ...model, requests };
}

/**
 * Like `scriptedModel`, but does not record requests, so that it can be used in long-running processes.
 * @param heard is called with each request
 */
export function playedModel(
  replies: readonly (ScriptReply | string)[],
  options: ScriptedModelOptions,
  heard: (request: ModelRequest) => void = () => undefined,
): PlayedModel {
  const list = replies.map((reply): ScriptReply => (typeof reply === 'string' ? { text: reply } : reply));
  const { id = 'script', clock, wordMs = 0, placeOf = (index: number) => `reply ${index + 1}` } = options;
  checkReplies(list, options, placeOf);
  const pacing: Pacing | undefined = clock === undefined ? undefined : { clock, wordMs };
  const script = new ScriptCursor(list);

  async function* generate(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    heard(request);
    const reply = list[script.take(request.messages) ?? -1];
    if (reply === undefined) {
      throw new HitlError(
        'BAD_SCRIPT',
        `no reply for ${describeRequest(request)}; the script has ${list.length}`,
        {
          hint: 'add a reply, or a matching `when`',
        },
      );
    }
    if (reply.delayMs !== undefined && clock !== undefined) await clock.sleep(reply.delayMs, signal);
    if (reply.error === undefined)
      return yield* streamReply(toModelReply(reply, refMinter(request)), pacing, signal);
    yield* streamText(reply.text ?? '', pacing, signal);
    throw failure(reply.error);
  }

  return {
    id,
    generate,
    assertAllUsed() {
      const left = script.unplayed();
      if (left.length === 0) return;
      throw new HitlError('BAD_SCRIPT', `not played: ${left.map(placeOf).join(', ')}`, {
        hint: 'remove them, or let the session make more requests',
      });
    },
  };
}

function failure({ status, type, message }: NonNullable<ScriptReply['error']>): HitlError {
  const detail = { ...(status !== undefined && { status }), ...(type !== undefined && { type }) };
  return new HitlError('MODEL_FAILED', message, { detail, hint: 'scripted failure' });
}
