import type { Interrupt, InterruptKind, ToolSource } from '../data/interrupt.js';
import { jsonEquals } from '../data/json.js';
import type { AnswerWay, Resolution, ResolutionAction } from '../data/resolution.js';
import { allowedActions } from './offers.js';
import type { Done, Facts, ResolutionOf } from './way.js';
import { WAYS } from './ways.js';

/** The ways in which a question may be answered, as its raiser narrows them. */
export type Narrowed = Pick<Interrupt, 'allowed' | 'edit'>;

/** The actions that each way names. */
const ACTIONS: Readonly<Record<AnswerWay, ResolutionAction>> = {
  approve: 'restart',
  edit: 'restart',
  restart: 'restart',
  respond: 'respond',
  reject: 'reject',
  cancel: 'cancel',
};

/** The words that may stand in `allowed`. */
export const ANSWER_WAYS: readonly string[] = Object.keys(ACTIONS);

function isAnswerWay(way: string): way is AnswerWay {
  return Object.hasOwn(ACTIONS, way);
}

/** The actions that are left where nobody understands what is offered: nothing can run then. */
const NOTHING_RUNS: ReadonlySet<ResolutionAction> = new Set(['reject', 'cancel']);

/** Narrows what a kind of question about a call allows to what its raiser offers; it widens nothing. */
export function narrowed(
  kind: InterruptKind,
  source: Pick<ToolSource, 'type'>,
  offered: readonly AnswerWay[],
): Narrowed {
  const actions = allowedActions(kind, source);
  const ways = new Set(offered.filter((way) => isAnswerWay(way)));
  const named = new Set([...ways].map((way) => ACTIONS[way]));
  const allowed = actions.filter((action) => named.has(action));
  if (allowed.length === 0) return { allowed: actions.filter((action) => NOTHING_RUNS.has(action)) };
  if (!allowed.includes('restart') || ways.has('restart') || (ways.has('approve') && ways.has('edit')))
    return { allowed };
  return { allowed, edit: ways.has('edit') ? 'required' : 'refused' };
}

/** Both of two narrowings, where somebody in front of a raiser narrows too. */
export function narrowedTwice(
  one: readonly AnswerWay[] | undefined,
  other: readonly AnswerWay[] | undefined,
): readonly AnswerWay[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [first, second] = [one, other].map((ways) => new Set(ways.flatMap((way) => RUNS[way] ?? [way])));
  return [...(first ?? [])].filter((way) => second?.has(way));
}

const RUNS: Readonly<Record<string, readonly AnswerWay[]>> = { restart: ['approve', 'edit'] };

/** Says why a decision is none of the ways in which a question may be answered; `undefined` where it is one. */
export function wayProblem(interrupt: Interrupt, resolution: Resolution): string | undefined {
  if (!interrupt.allowed.includes(resolution.action))
    return `it takes: ${allowedWords(interrupt).join(', ')}`;
  const { edit, source } = interrupt;
  if (edit === undefined || resolution.action !== 'restart') return undefined;
  const { input } = resolution;
  const shown = source.type === 'tool' ? source.input : null;
  const isEdited = input !== undefined && !jsonEquals(input, shown);
  if (isEdited === (edit === 'required')) return undefined;
  return edit === 'required' ? 'it runs with another input only' : 'it runs as it is shown or not at all';
}

/** The actions that a question takes, in words for an error. */
export function allowedWords({ allowed, edit }: Narrowed): readonly string[] {
  const RESTARTS = { required: 'restart with another input', refused: 'restart as it is shown' };
  return allowed.map((action) => (action === 'restart' && edit !== undefined ? RESTARTS[edit] : action));
}

const FACTS: Facts = WAYS;

function done<A extends ResolutionAction>(
  action: A,
  resolution: ResolutionOf<A>,
  interrupt: Interrupt,
): Done {
  return FACTS[action].done(resolution, interrupt);
}

/**
 * Says what was decided about an interrupt, in the words that every list, line and screen uses for it. Text in it is
 * not escaped.
 */
export function doneOf(interrupt: Interrupt, resolution: Resolution): Done {
  return done(resolution.action, resolution, interrupt);
}
