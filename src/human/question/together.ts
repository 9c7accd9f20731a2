// Several confirmations that one key answers, each with its own digest: which they are, and the words for them.
import type { Interrupt, Resolution, RunState } from '../../core/index.js';
import { asksForGrant, isAboutSandbox, waysAt } from '../../core/index.js';
import type { QuestionView } from './question-text.js';
import { isWarned, toolOf } from './question-text.js';
import { BUILT_IN } from './words.js';
import { passedOn } from './form-fields.js';
import { allWords } from './key-words.js';

/**
 * Whether all of these questions can be approved at once: each is a confirmation that one person can approve
 * with a plain `y`. Gates, calls in doubt, questions, grants, and calls with required approvers are answered
 * one at a time.
 */
export function areAnsweredTogether(open: readonly Interrupt[]): boolean {
  return open.length > 1 && open.every(isPlainYes);
}

function isPlainYes(interrupt: Interrupt): boolean {
  const { kind, approvers, proposed, escalated } = interrupt;
  if (kind !== 'confirmation' || approvers !== undefined || asksForGrant(interrupt)) return false;
  if (proposed !== undefined || escalated !== undefined || passedOn(interrupt) !== undefined) return false;
  return waysAt(interrupt).some(({ key, takes }) => key === 'y' && takes === 'nothing');
}

/** Whether all of these questions can be rejected together, with one reason. */
export function areRejectedTogether(open: readonly Interrupt[]): boolean {
  return areAnsweredTogether(open) && open.every(({ allowed }) => allowed.includes('reject'));
}

const COMMANDS = 'commands';
const EDITS = 'edits';
const NAMES: Readonly<Record<string, string>> = {
  run_command: COMMANDS,
  edit_file: EDITS,
  write_file: EDITS,
};

function nameOf({ source }: Interrupt): string | undefined {
  return source.type === 'tool' && Object.hasOwn(NAMES, source.name) ? NAMES[source.name] : undefined;
}

function namesOf(open: readonly Interrupt[]): string | undefined {
  const names = new Set(open.map(nameOf));
  return names.size === 1 ? [...names][0] : undefined;
}

/** Describes the waiting questions: `2 commands are waiting`. */
export function waitingWords(open: readonly Interrupt[]): string {
  const name = areAnsweredTogether(open) ? (namesOf(open) ?? 'calls') : 'questions';
  return `${open.length} ${name} are waiting`;
}

/**
 * Several open questions. If the user approves all of them at once, only the `calm` ones, which have no
 * warning, are approved.
 */
export interface Together {
  readonly open: readonly Interrupt[];
  readonly calm: readonly Interrupt[];
}

/**
 * Finds the questions without a warning. Ignores the warning that every command has if there is no sandbox.
 * @param views one view for each question
 */
export function togetherOf(
  open: readonly Interrupt[],
  views: readonly QuestionView[],
  state: RunState,
): Together {
  const isCalm = (interrupt: Interrupt, view: QuestionView | undefined): boolean => {
    const isCommand = interrupt.source.type === 'tool' && interrupt.source.name === 'run_command';
    const isOurs = isCommand && toolOf(interrupt, state)?.origin === BUILT_IN;
    const usual = (view?.warnings ?? []).filter(
      ({ kind, message }) => isOurs && kind === 'approval' && isAboutSandbox(message),
    );
    return view !== undefined && !isWarned(view, usual);
  };
  return { open, calm: open.filter((interrupt, index) => isCalm(interrupt, views[index])) };
}

/** Describes the number of questions that are approved together: `both`, `1 of 2`. */
function amountWords({ open, calm }: Together): string {
  return calm.length === open.length ? allWords(open.length) : `${calm.length} of ${open.length}`;
}

/** Returns the question that covers all of them: `Run both commands?` */
export function togetherWords(together: Together): string {
  const { open, calm } = together;
  const name = namesOf(open);
  if (calm.length === 0) return 'Which one first?';
  const verb = name === COMMANDS ? 'Run' : name === EDITS ? 'Make' : 'Approve';
  return `${verb} ${amountWords(together)} ${name ?? 'calls'}?`;
}

/**
 * Describes the questions that stay open after the user approves all at once, because they have a warning.
 * Returns `undefined` if there are none.
 */
export function leftWords({ open, calm }: Together): string | undefined {
  const left = open.length - calm.length;
  if (left === 0) return undefined;
  if (calm.length === 0) return 'Each has a warning: approve them one at a time.';
  const name = namesOf(open)?.slice(0, -1) ?? 'call';
  return left === 1
    ? `Y leaves 1 ${name} with a warning, to be answered separately.`
    : `Y leaves ${left} ${name}s with warnings, to be answered one at a time.`;
}

/**
 * Returns the keys that answer all questions at once. They differ from the keys for a single question, so
 * that the user cannot approve several out of habit.
 */
export function togetherKeys(together: Together) {
  const count = together.open.length;
  const all = allWords(count);
  return {
    approve: {
      key: 'Y',
      label: `approve ${amountWords(together)}`,
      help: 'run each with exactly this input',
    },
    reject: { key: 'N', label: `reject ${all}`, help: 'don’t run any of them, and tell the model why' },
    one: { key: `1–${count}`, label: 'one at a time', help: 'show one, with all its keys' },
  } as const;
}

/**
 * Identifies a question in the form in which it was shown. A question whose digest has changed is a different
 * question.
 */
export function shownKey({ id, digest }: Interrupt): string {
  return `${id} ${digest}`;
}

/**
 * Keeps an answer given to several questions at once until each question's turn. The answer applies only to
 * questions that have not changed since they were shown.
 */
export class GivenTogether {
  readonly #given = new Map<string, Resolution>();

  give(interrupts: readonly Interrupt[], resolution: Resolution): void {
    for (const interrupt of interrupts) this.#given.set(shownKey(interrupt), resolution);
  }

  /** Removes and returns the first answer to one of these questions. */
  take(
    open: readonly Interrupt[],
  ): { readonly interrupt: Interrupt; readonly resolution: Resolution } | undefined {
    for (const interrupt of open) {
      const resolution = this.#given.get(shownKey(interrupt));
      if (resolution === undefined) continue;
      this.#given.delete(shownKey(interrupt));
      return { interrupt, resolution };
    }
    return undefined;
  }

  forget(): void {
    this.#given.clear();
  }
}
