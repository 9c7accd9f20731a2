import type {
  Actor,
  AskResult,
  HumanChannel,
  Interrupt,
  InterruptKind,
  JsonValue,
  Resolution,
} from '../core/index.js';
import { HitlError, jsonEquals } from '../core/index.js';

/** Criteria for the interrupt that an answer applies to. An absent property matches anything. */
export interface InterruptMatch {
  readonly id?: string;
  readonly kind?: InterruptKind;
  /** Name of the tool that asks. */
  readonly tool?: string;
  /** The whole input. */
  readonly input?: JsonValue;
}

/** An answer to one interrupt. */
export interface ScriptedAnswer {
  readonly for?: InterruptMatch;
  readonly answer: Resolution | ((interrupt: Interrupt) => Resolution);
  /** Whether to answer with "always". Default: false. */
  readonly always?: boolean;
}

/**
 * One step of the script. With `leave-open`, the interrupts remain unanswered, and the run ends in a waiting
 * state.
 */
export type ChannelStep = Resolution | ScriptedAnswer | 'leave-open';

/** A simulated person for tests. */
export interface ScriptedChannel extends HumanChannel {
  /** The interrupts shown so far, one list for each time the channel was asked. */
  readonly asked: readonly (readonly Interrupt[])[];
  /**
   * Checks that all answers were used.
   * @throws HitlError BAD_SCRIPT with the number of unused answers.
   */
  assertAllUsed(): void;
}

const PERSON: Actor = { type: 'script', name: 'scriptedChannel', via: 'answers' };

function fits(match: InterruptMatch, { id, kind, source }: Interrupt): boolean {
  if (match.id !== undefined && match.id !== id) return false;
  if (match.kind !== undefined && match.kind !== kind) return false;
  if (match.tool !== undefined && !(source.type === 'tool' && source.name === match.tool)) return false;
  return match.input === undefined || (source.type === 'tool' && jsonEquals(source.input, match.input));
}

function describeInterrupt({ id, kind, source }: Interrupt): string {
  return `${kind} \`${id}\`${source.type === 'tool' ? ` of \`${source.name}\`` : ''}`;
}

function unexpected(open: readonly Interrupt[], why: string): HitlError {
  return new HitlError('BAD_SCRIPT', `${why}; open: ${open.map(describeInterrupt).join(', ')}`, {
    hint: 'add a matching answer, or `leave-open`',
  });
}

/**
 * Converts a step to an answer. A step with `answer` specifies its interrupt; a bare resolution applies to
 * the first open one.
 */
function asAnswer(step: Resolution | ScriptedAnswer): ScriptedAnswer {
  return 'answer' in step ? step : { answer: step };
}

/**
 * Creates a channel that simulates a person. Each time it is asked, it gives the next answer, which applies
 * to the first matching interrupt.
 * @throws HitlError BAD_SCRIPT if no matching answer is available.
 */
export function scriptedChannel(steps: readonly ChannelStep[]): ScriptedChannel {
  const asked: (readonly Interrupt[])[] = [];
  let used = 0;

  function answer(open: readonly Interrupt[]): AskResult {
    const step = steps[used];
    if (step === undefined) throw unexpected(open, `no answers left (${steps.length} used)`);
    if (step === 'leave-open') {
      used += 1;
      return { type: 'left-open', why: 'the script leaves it open' };
    }
    const { for: match = {}, answer: given, always = false } = asAnswer(step);
    const interrupt = open.find((candidate) => fits(match, candidate));
    if (interrupt === undefined)
      throw unexpected(open, `answer ${used + 1} does not match any open interrupt`);
    used += 1;
    const { id, digest } = interrupt;
    const resolution = typeof given === 'function' ? given(interrupt) : given;
    const by = { ...PERSON, place: `answer ${used}` };
    return { type: 'answered', answer: { id, digest, resolution, by }, ...(always && { always }) };
  }

  return {
    asked,
    async ask(open, _state, signal) {
      signal.throwIfAborted();
      asked.push([...open]);
      return answer(open);
    },
    assertAllUsed() {
      if (used === steps.length) return;
      throw new HitlError('BAD_SCRIPT', `${steps.length - used} of ${steps.length} answers were not used`, {
        hint: 'remove them, or let the session ask more questions',
      });
    },
  };
}
