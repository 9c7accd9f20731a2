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
  /** The one reader of stdin; `noLines()` if stdin is used for something else. */
  readonly lines: LineSource;
  /** The format of its lines. Default `text`. */
  readonly format?: 'text' | 'ndjson';
  /** Entries of an answers file; used before stdin. */
  readonly answers?: readonly AnswerRule[];
  /** Answers by interrupt name (`readQuestionName`); each is used once, before everything else. */
  readonly answerFlags?: ReadonlyMap<string, string>;
  /** Questions from before this run: a flag approves them only with their digest. */
  readonly askedBefore?: ReadonlySet<InterruptId>;
  /** Reaction without an answer. `ask` equals `stop` here: there is no one to ask. */
  readonly onInterrupt: 'ask' | 'stop' | 'deny';
  /** Unused entries are an error. Default: false. */
  readonly strictAnswers?: boolean;
  /** Name of the user who runs the script, for the journal. */
  readonly actorName: string;
  /** The session that entries of the answers file may ask for. */
  readonly sessionId?: string;
}

/** User turns and answers of a script, from one reader. */
export interface ScriptedInput {
  readonly turns: TurnSource;
  readonly channel: HumanChannel;
  /** Returns unused lines, without blank ones. Not escaped. */
  leftovers(): readonly Line[];
  /**
   * Returns answers that should have been used: those of flags, and with `strictAnswers` the file's entries.
   * Not escaped.
   */
  unusedAnswers(): readonly string[];
  /** Lets go of stdin. */
  close(): void;
}

/** Creates a channel without a person: every interrupt stays open (law 6). */
export function createUnattended(why = 'no one was asked'): HumanChannel {
  return { ask: async () => ({ type: 'left-open', why }) };
}

const NO_HUMAN = 'no human was there';
const DENIED: Actor = { type: 'rule', rule: 'on-interrupt deny' };

/**
 * Denies the first open interrupt, and tells the model that no human was present. A call in doubt is not
 * marked as failed, and a pause stays open: it needs a person.
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
 * Creates a channel that reads turns and answers from flags, an answers file and stdin. Missing input never
 * approves: at its end the interrupts stay open, or are denied if so configured.
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
