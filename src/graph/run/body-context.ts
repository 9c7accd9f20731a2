import type {
  Activation,
  AskRecord,
  Clock,
  Effect,
  ErrorRecord,
  GraphState,
  InterruptDraft,
  JsonValue,
  OptionRows,
  SecretVault,
  SessionEvent,
  Start,
} from '../../core/index.js';
import {
  checkOptions,
  FUNCTION,
  HitlError,
  isInDoubt,
  isUnsafeName,
  jsonEquals,
  members,
  required,
  TEXT,
} from '../../core/index.js';
import { EFFECT } from '../definition/option-rows.js';
import type { Stop } from '../../engine/index.js';
import { askedAgain, lapsedAnswer, questionDraft, withChanges, withoutChanges } from './questions.js';
import type { NodeContext } from '../definition/graph-definition.js';
import { checkJson } from '../state/check-state.js';
import { answerTo, lapsedLines } from './known-answer.js';
import { never, quiet } from './quiet.js';

// Invariants:
// B1 An `ask` without an answer never settles: no code of the body runs because it asked.
// B2 Once something is asked no step begins, and once the body is over none is journaled.
// B3 A key names one step of a run of the body: a result is never given to another step.

/** Events from a running body. They must be stored before the body continues. */
export interface BodyArrival {
  readonly events: readonly SessionEvent[];
  readonly emitted?: JsonValue;
  readonly kept: () => void;
}

/** Settings for running a body. */
export interface BodyOptions {
  readonly state: GraphState;
  readonly path: string;
  readonly idempotencyKey: string;
  readonly timeoutMs?: number | undefined;
  readonly clock: Clock;
  /** The code and time of this attempt, for checking whether answers are still valid. */
  readonly start: Start;
  /** Returns the last failure of each node on the path to this one, by node name. */
  readonly errors: () => Readonly<Record<string, ErrorRecord>>;
  /** Secrets typed into fields. The body that asked for them receives them; they are masked in its output. */
  readonly vault: SecretVault;
  readonly tell: (arrival: BodyArrival) => void;
}

/** Tracks the questions and steps of a running body. */
export class BodyRecord {
  readonly asked: InterruptDraft[] = [];
  readonly #doing: Promise<unknown>[] = [];
  readonly #keys = new Set<string>();
  #isOver = false;
  #isWatched = false;
  #isInStep = false;
  #leave: () => void = () => undefined;
  /** Resolves when the body is only waiting for people. */
  readonly left = new Promise<void>((resolve) => {
    this.#leave = resolve;
  });

  /** Whether the body's results are no longer needed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether no more steps may start (B2). */
  get isClosed(): boolean {
    return this.#isOver || this.#isWatched;
  }

  /**
   * Records a question, whether new or already open. @throws HitlError NODE_FAILED inside a step, because the
   * step would wait forever.
   */
  ask(draft: InterruptDraft | undefined): void {
    if (this.#isInStep)
      throw new HitlError('NODE_FAILED', 'a step cannot ask', { hint: 'ask before or after the step' });
    if (this.#isOver) return;
    if (draft !== undefined) this.asked.push(draft);
    if (this.#isWatched) return;
    this.#isWatched = true;
    void quiet(
      () => this.asked.length,
      () => this.stepsEnded(),
    ).then(this.#leave);
  }

  /** Starts a step's function, which must not ask. */
  during(body: () => unknown): unknown {
    this.#isInStep = true;
    try {
      return body();
    } finally {
      this.#isInStep = false;
    }
  }

  /** Registers a step's key. @throws HitlError NODE_FAILED if the key is invalid or already used (B3). */
  name(key: string): void {
    if (isUnsafeName(key)) throw new HitlError('NODE_FAILED', `\`${key}\` cannot name a step`);
    if (this.#keys.has(key))
      throw new HitlError('NODE_FAILED', `duplicate step key \`${key}\``, {
        hint: 'give each step in a body a unique key, for example with a number',
      });
    this.#keys.add(key);
  }

  step(doing: Promise<unknown>): void {
    this.#doing.push(doing);
  }

  close(): void {
    this.#isOver = true;
  }

  async stepsEnded(): Promise<void> {
    for (const step of this.#doing) await step.catch(() => undefined); // a failure is the body's to see
  }
}

const STEP: OptionRows = {
  key: required(TEXT),
  body: required(FUNCTION),
  options: members({ effect: EFFECT }),
};

interface ContextOptions extends BodyOptions {
  readonly record: BodyRecord;
  readonly stop: Stop;
}

/**
 * Whether two questions are the same and can share an answer. Different questions get separate answers, in
 * any order (G11).
 */
function isSameQuestion(asked: InterruptDraft, now: InterruptDraft): boolean {
  const known = [withoutChanges(asked.payload), asked.answerSchema ?? null];
  return jsonEquals(known, [now.payload, now.answerSchema ?? null]);
}

/** Whether an answer contains a secret that was typed into a process that has since ended. */
function isLost(ask: AskRecord, vault: SecretVault): boolean {
  return ask.answer !== undefined && answerTo(ask, vault) === undefined;
}

/** Creates the context passed to a body. */
export function contextOf(
  current: Activation,
  { path, idempotencyKey, tell, state, record, stop, vault, errors, start }: ContextOptions,
): NodeContext {
  const { node, visit, attempts, guidance, input, asks, operations } = current;
  const keep = (event: SessionEvent): Promise<void> =>
    new Promise((kept) => {
      tell({ events: [event], kept });
    });
  const takeStep = async (key: string, body: () => unknown, effect: Effect): Promise<JsonValue> => {
    await keep({ type: 'step-started', node, visit, key, effect });
    const value = await record.during(body);
    const output = vault.mask(checkJson(value ?? null, `the result of step \`${key}\``, { node }));
    await keep({ type: 'step-settled', node, visit, key, output });
    return output;
  };
  const left = [...asks];
  return {
    path,
    node,
    visit,
    attempt: attempts,
    get signal() {
      return stop.signal;
    },
    guidance,
    get errors() {
      return errors();
    },
    input: input?.value,
    idempotencyKey,
    emit(data) {
      const emitted = vault.mask(checkJson(data, 'what is emitted', { node }));
      if (!record.isOver) tell({ events: [], emitted, kept: () => undefined });
    },
    async ask(question) {
      const asked = questionDraft(current, question);
      const draft = { ...asked, payload: vault.mask(asked.payload) };
      const same = left.filter(({ interrupt }) => isSameQuestion(interrupt, draft));
      const lapsed = (ask: AskRecord): readonly string[] =>
        lapsedLines(ask, start, { what: node, isUsed: ask.used === true });
      const counts = (ask: AskRecord): boolean => !isLost(ask, vault) && lapsed(ask).length === 0;
      const known = same.find(counts) ?? same[0];
      if (known !== undefined) left.splice(left.indexOf(known), 1);
      const lines = known === undefined ? [] : lapsed(known);
      if (known !== undefined && lines.length > 0) {
        record.ask(lapsedAnswer(draft, lines));
        return never();
      }
      const value = known && answerTo(known, vault);
      if (value !== undefined) return value;
      const instead = left[0]?.interrupt;
      const isOpen = known !== undefined && known.answer === undefined;
      const anew = known === undefined ? withChanges(draft, current, { state, instead }) : askedAgain(draft);
      record.ask(isOpen ? undefined : anew);
      return never();
    },
    async step(key, body, options = {}) {
      checkOptions('`context.step`', { key, body, options }, STEP);
      const { effect = 'once' } = options;
      record.name(key);
      const before = operations.get(key);
      if (before?.status === 'settled') return before.output;
      if (before !== undefined && isInDoubt(before))
        throw new HitlError(
          'INTERNAL',
          `step \`${key}\` may have run, and cannot run again without an answer`,
        );
      if (record.isClosed) return never();
      const step = takeStep(key, body, effect);
      record.step(step);
      return step;
    },
  };
}
