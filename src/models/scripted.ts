import type { Clock, Message, Model, ModelEvent, ModelRequest } from '../core/index.js';
import { HitlError } from '../core/index.js';
import { refMinter } from './request-facts.js';
import { conditionHolds, textMatcher } from './script-condition.js';
import type { ScriptReply } from './script-reply.js';
import { isVisible, toModelReply } from './script-reply.js';
import type { Pacing } from './stream-reply.js';
import { streamReply, streamText } from './stream-reply.js';

// Invariants:
// S1 Which reply answers is a function of the request's messages, so a crash or a new process does not shift a script.
// S2 The one exception: a reply that leaves no message (an error, an empty one) is played once by a model object.
// S3 A request without a reply, and a reply without a request, are errors.

export interface ScriptedModelOptions {
  /** Default `script`. */
  readonly id?: string;
  /** Needed where a reply has `delayMs`, or with `wordMs`. */
  readonly clock?: Clock;
  /** Pause after each word, in milliseconds. Default 0. */
  readonly wordMs?: number;
  /** Where a reply stands, for errors. Default `reply <n>`. */
  readonly placeOf?: (index: number) => string;
}

/** A model that plays replies from a list, and remembers what it was asked. */
export interface ScriptedModel extends Model {
  /** Every request so far, with a copy of its messages. */
  readonly requests: readonly ScriptedRequest[];
  /**
   * Checks that no reply is left.
   * @throws HitlError BAD_SCRIPT naming the replies that were not played.
   */
  assertAllUsed(): void;
}

export interface ScriptedRequest extends Omit<ModelRequest, 'messages'> {
  readonly messages: readonly Message[];
}

/** The replies of a script, and which of them were played. */
class Script {
  readonly #replies: readonly ScriptReply[];
  readonly #played = new Set<number>();

  constructor(replies: readonly ScriptReply[]) {
    this.#replies = replies;
  }

  /** Index of the reply to these messages; `undefined` where the script has none (S1, S2). */
  take(messages: readonly Message[]): number | undefined {
    let position = 0;
    for (const [index, message] of messages.entries()) {
      if (message.role !== 'model') continue;
      const before = messages.slice(0, index);
      const conditional = this.#conditional(before, (reply) => isVisible(reply));
      const played = conditional ?? this.#visibleAt(position);
      if (conditional === undefined) position += 1;
      if (played !== undefined) this.#played.add(played);
    }
    const fresh = (reply: ScriptReply, index: number) => isVisible(reply) || !this.#played.has(index);
    const found = this.#conditional(messages, fresh) ?? this.#positional(position);
    if (found !== undefined) this.#played.add(found);
    return found;
  }

  unplayed(): readonly number[] {
    return [...this.#replies.keys()].filter((index) => !this.#played.has(index));
  }

  #conditional(messages: readonly Message[], fits: (reply: ScriptReply, index: number) => boolean) {
    const found = this.#replies.findIndex(
      (reply, index) =>
        reply.when !== undefined && fits(reply, index) && conditionHolds(reply.when, messages),
    );
    return found === -1 ? undefined : found;
  }

  /** The n-th reply by position that leaves a message. */
  #visibleAt(position: number): number | undefined {
    let seen = 0;
    for (const [index, reply] of this.#replies.entries()) {
      if (reply.when !== undefined || !isVisible(reply)) continue;
      if (seen === position) return index;
      seen += 1;
    }
    return undefined;
  }

  /** The first reply by position that is not in the history and, if it leaves no message, was not played. */
  #positional(position: number): number | undefined {
    let seen = 0;
    for (const [index, reply] of this.#replies.entries()) {
      if (reply.when !== undefined) continue;
      if (seen === position && (isVisible(reply) || !this.#played.has(index))) return index;
      if (isVisible(reply)) seen += 1;
    }
    return undefined;
  }
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
      throw fail(`a reply that ends with \`${end}\` has no tool requests`, 'leave out `tools` or `end`');
    }
    const { user, toolResult } = when ?? {};
    if (user !== undefined) textMatcher(user);
    const text = typeof toolResult === 'object' ? toolResult.text : toolResult;
    if (text !== undefined) textMatcher(text);
  }
}

function describeRequest(messages: readonly Message[]): string {
  const replies = messages.filter(({ role }) => role === 'model').length;
  const last = messages.at(-1);
  return `request ${replies + 1} of the session${last === undefined ? '' : `, whose last message is of role \`${last.role}\``}`;
}

/**
 * A model that plays these replies: matched by position, or by `when` on what was last said.
 * The position is the number of model replies that a request holds, so it survives crashes and new processes.
 * @throws HitlError BAD_SCRIPT where a reply makes no sense; while generating, on a request that no reply answers.
 */
export function scriptedModel(
  replies: readonly (ScriptReply | string)[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const list = replies.map((reply): ScriptReply => (typeof reply === 'string' ? { text: reply } : reply));
  const { id = 'script', clock, wordMs = 0, placeOf = (index: number) => `reply ${index + 1}` } = options;
  checkReplies(list, options, placeOf);
  const pacing: Pacing | undefined = clock === undefined ? undefined : { clock, wordMs };
  const script = new Script(list);
  const requests: ScriptedRequest[] = [];

  async function* generate(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const messages = request.messages.toArray();
    requests.push({ ...request, messages });
    const reply = list[script.take(messages) ?? -1];
    if (reply === undefined) {
      throw new HitlError(
        'BAD_SCRIPT',
        `no reply for ${describeRequest(messages)}; the script has ${list.length}`,
        {
          hint: 'add a reply, or a `when` that fits',
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
    requests,
    generate,
    assertAllUsed() {
      const left = script.unplayed();
      if (left.length === 0) return;
      throw new HitlError('BAD_SCRIPT', `not played: ${left.map(placeOf).join(', ')}`, {
        hint: 'remove them, or let the session ask for them',
      });
    },
  };
}

function failure({ status, type, message }: NonNullable<ScriptReply['error']>): HitlError {
  const detail = { ...(status !== undefined && { status }), ...(type !== undefined && { type }) };
  return new HitlError('MODEL_FAILED', message, { detail, hint: 'the script says so' });
}
