import type {
  AskResult,
  HumanChannel,
  Interrupt,
  InterruptId,
  Turn,
  TurnSource,
  Actor,
  Resolution,
} from '../../core/index.js';
import { isDigestOf, isQuestion, readQuestionName } from '../../core/index.js';
import { AnswerBook } from '../answer/answer-rule.js';
import { interruptNamed } from '../answer/answer-target.js';
import type { AnswerRule } from '../answer/answer-rule.js';
import type { Line, LineSource } from './line-source.js';
import type { GivenAnswer } from './scripted-answer.js';
import { answerOf, badAnswer } from './scripted-answer.js';
import { TextLines, TypedLines } from './scripted-lines.js';

export interface ScriptedInputOptions {
  /** The only reader of stdin. Pass `noLines()` if stdin is used for something else. */
  readonly lines: LineSource;
  /** Format of the lines. Default: `text`. */
  readonly format?: 'text' | 'ndjson';
  /** Entries of an answers file, which are used before stdin. */
  readonly answers?: readonly AnswerRule[];
  /** Answers by interrupt name (`readQuestionName`). Each is used once, before the answers file and stdin. */
  readonly answerFlags?: ReadonlyMap<string, string>;
  /** Questions that were asked before this run. A flag can approve them only if it includes their digest. */
  readonly askedBefore?: ReadonlySet<InterruptId>;
  /**
   * How to handle interrupts without an answer. `ask` has the same effect as `stop`, because there is nobody
   * to ask.
   */
  readonly onInterrupt: 'ask' | 'stop' | 'deny';
  /** Whether unused entries of the answers file are an error. Default: false. */
  readonly strictAnswers?: boolean;
  /** Name of the user who runs the script, recorded in the journal. */
  readonly actorName: string;
  /** Session id to match against entries of the answers file. */
  readonly sessionId?: string;
}

/** A script's user messages and answers, read by a single reader. */
export interface ScriptedInput {
  readonly turns: TurnSource;
  readonly channel: HumanChannel;
  /** Returns the unused lines that are not blank. They are not escaped. */
  leftovers(): readonly Line[];
  /**
   * Returns the unused answers from flags and, if `strictAnswers` is set, the unused entries of the answers
   * file. They are not escaped.
   */
  unusedAnswers(): readonly string[];
  /** Releases stdin. */
  close(): void;
}

/** Creates a channel that does not ask anyone, so that every interrupt stays open (law 6). */
export function createUnattended(why = 'no one was asked'): HumanChannel {
  return { ask: async () => ({ type: 'left-open', why }) };
}

const NO_HUMAN = 'no person was available';
const DENIED: Actor = { type: 'rule', rule: 'on-interrupt deny' };

/**
 * Denies the first open interrupt that can be denied, and tells the model that no person was available. A
 * call in doubt is cancelled instead of being marked as failed. A pause stays open, because only a person can
 * end it.
 */
function denyFirst(open: readonly Interrupt[]): AskResult {
  for (const { id, digest, kind, allowed } of open) {
    const action = kind === 'confirmation' || kind === 'error' ? 'reject' : 'cancel';
    if (kind !== 'pause' && allowed.includes(action)) {
      const resolution: Resolution = { action, reason: NO_HUMAN };
      return { type: 'answered', answer: { id, digest, resolution, by: DENIED } };
    }
  }
  return { type: 'left-open', why: NO_HUMAN };
}

/**
 * Creates a channel that reads messages and answers from flags, an answers file and stdin. Missing input
 * never approves anything: at the end of the input, interrupts stay open or, if configured, are denied.
 */
export function createScriptedInput(options: ScriptedInputOptions): ScriptedInput {
  const { lines, format = 'text', actorName, strictAnswers = false } = options;
  const script = format === 'text' ? new TextLines(lines, actorName) : new TypedLines(lines, actorName);
  const book = new AnswerBook(options.answers ?? [], options.sessionId);
  const flags = new Map(options.answerFlags);

  function flagFor(open: readonly Interrupt[]): GivenAnswer | undefined {
    for (const [name, value] of flags) {
      const { interrupt: wanted, digest } = readQuestionName(name);
      const target = interruptNamed(wanted, open);
      if (target.ok) {
        flags.delete(name);
        const { interrupt } = target;
        const place = `--answer ${name}`;
        if (digest !== undefined && !isDigestOf(digest, interrupt))
          throw badAnswer(
            place,
            `question ${interrupt.id} has changed: it is not the one shown with ${digest}`,
            [],
            interrupt,
          );
        const by = { type: 'script', name: actorName, via: 'flag', place } as const;
        const isNamed = digest !== undefined || options.askedBefore?.has(interrupt.id) !== true;
        return { interrupt, value, by, place, isNamed };
      }
    }
    return undefined;
  }

  function entryFor(open: readonly Interrupt[]): GivenAnswer | undefined {
    const found = book.take(open);
    if (found === undefined) return undefined;
    const { interrupt, rule } = found;
    const by = { type: 'script', name: actorName, via: 'answers', place: rule.place } as const;
    return { interrupt, value: rule.answer, by, place: rule.place };
  }

  async function next(asked: readonly Interrupt[], signal: AbortSignal): Promise<GivenAnswer | undefined> {
    return entryFor(asked) ?? (await script.answer(asked, signal));
  }

  return {
    turns: {
      async next(_state, signal): Promise<Turn> {
        const text = await script.turn(signal);
        return text === undefined ? { type: 'end', why: 'the input has ended' } : { type: 'message', text };
      },
    },
    channel: {
      async ask(open, state, signal): Promise<AskResult> {
        signal.throwIfAborted();
        // Time and events are no persons: a line is for a question, and what is denied is one.
        const asked = open.filter(isQuestion);
        const given = flagFor(open) ?? (asked.length === 0 ? undefined : await next(asked, signal));
        if (given !== undefined) return answerOf(given, state);
        if (asked.length === 0) return { type: 'left-open', why: 'waiting for a timer or an event' };
        if (options.onInterrupt === 'deny') return denyFirst(asked);
        return { type: 'left-open', why: 'the input has ended' };
      },
    },
    leftovers: () => lines.arrived().filter(({ text }) => text.trim() !== ''),
    unusedAnswers: () => [
      ...[...flags.keys()].map((name) => `--answer ${name}`),
      ...(strictAnswers ? book.unused().map(({ place }) => place) : []),
    ],
    close: () => {
      lines.close();
    },
  };
}
