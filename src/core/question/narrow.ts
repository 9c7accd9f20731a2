import type { Interrupt, InterruptKind, ToolSource } from '../data/interrupt.js';
import { jsonEquals } from '../data/json.js';
import type { AnswerWay, Resolution, ResolutionAction } from '../data/resolution.js';
import { allowedActions } from './offers.js';
import type { Done, Facts, ResolutionOf } from './way.js';
import { WAYS } from './ways.js';

/** The answers that a question permits. */
export type Narrowed = Pick<Interrupt, 'allowed' | 'edit'>;

/** The resolution action for each action that a tool can offer. */
const ACTIONS: Readonly<Record<AnswerWay, ResolutionAction>> = {
  approve: 'restart',
  edit: 'restart',
  restart: 'restart',
  respond: 'respond',
  reject: 'reject',
  cancel: 'cancel',
};

/** Valid values in `allowed`. */
export const ANSWER_WAYS: readonly string[] = Object.keys(ACTIONS);

function isAnswerWay(way: string): way is AnswerWay {
  return Object.hasOwn(ACTIONS, way);
}

/** Actions that remain if none of the offered actions is recognized, so that the call cannot run. */
const NOTHING_RUNS: ReadonlySet<ResolutionAction> = new Set(['reject', 'cancel']);

/** Restricts the question about a call to the offered actions. Never adds an action. */
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

/** Combines two restrictions, for a wrapper that further restricts the actions that its tool allows. */
export function narrowedTwice(
  one: readonly AnswerWay[] | undefined,
  other: readonly AnswerWay[] | undefined,
): readonly AnswerWay[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [first, second] = [one, other].map((ways) => new Set(ways.flatMap((way) => RUNS[way] ?? [way])));
  return [...(first ?? [])].filter((way) => second?.has(way));
}

const RUNS: Readonly<Record<string, readonly AnswerWay[]>> = { restart: ['approve', 'edit'] };

/** Returns the reason that a decision is not a permitted answer, or `undefined` if it is one. */
export function wayProblem(interrupt: Interrupt, resolution: Resolution): string | undefined {
  if (!interrupt.allowed.includes(resolution.action))
    return `it takes: ${allowedWords(interrupt).join(', ')}`;
  const { edit, source } = interrupt;
  if (edit === undefined || resolution.action !== 'restart') return undefined;
  const { input } = resolution;
  const shown = source.type === 'tool' ? source.input : null;
  const isEdited = input !== undefined && !jsonEquals(input, shown);
  if (isEdited === (edit === 'required')) return undefined;
  return edit === 'required' ? 'it only runs with a changed input' : 'it only runs with the input as shown';
}

/** Lists the actions that a question allows, for an error message. */
export function allowedWords({ allowed, edit }: Narrowed): readonly string[] {
  const RESTARTS = { required: 'restart with a changed input', refused: 'restart as shown' };
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

/** Describes a decision, with the same wording on every screen and in every list. Not escaped. */
export function doneOf(interrupt: Interrupt, resolution: Resolution): Done {
  return done(resolution.action, resolution, interrupt);
}
