import type { Interrupt, InterruptKind, ToolSource } from '../data/interrupt.js';
import { jsonEquals } from '../data/json.js';
import type { AnswerWay, Resolution, ResolutionAction } from '../data/resolution.js';
import { allowedActions } from './offers.js';
import type { Done, Facts, ResolutionOf } from './way.js';
import { WAYS } from './ways.js';

/** The permitted answers of a question. */
export type Narrowed = Pick<Interrupt, 'allowed' | 'edit'>;

/** Actions behind each kind of answer. */
const ACTIONS: Readonly<Record<AnswerWay, ResolutionAction>> = {
  approve: 'restart',
  edit: 'restart',
  restart: 'restart',
  respond: 'respond',
  reject: 'reject',
  cancel: 'cancel',
};

/** Valid words in `allowed`. */
export const ANSWER_WAYS: readonly string[] = Object.keys(ACTIONS);

function isAnswerWay(way: string): way is AnswerWay {
  return Object.hasOwn(ACTIONS, way);
}

/** Actions left if the offer is not understood: nothing can run. */
const NOTHING_RUNS: ReadonlySet<ResolutionAction> = new Set(['reject', 'cancel']);

/** Restricts a call question's actions to those offered; never adds any. */
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

/** Combines two restrictions, if a wrapper of the asker restricts too. */
export function narrowedTwice(
  one: readonly AnswerWay[] | undefined,
  other: readonly AnswerWay[] | undefined,
): readonly AnswerWay[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [first, second] = [one, other].map((ways) => new Set(ways.flatMap((way) => RUNS[way] ?? [way])));
  return [...(first ?? [])].filter((way) => second?.has(way));
}

const RUNS: Readonly<Record<string, readonly AnswerWay[]>> = { restart: ['approve', 'edit'] };

/** Explains why a decision is not a permitted answer; `undefined` if it is. */
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

/** Lists a question's permitted actions, for an error. */
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

/** Describes a decision in the words of every list, line and screen. Not escaped. */
export function doneOf(interrupt: Interrupt, resolution: Resolution): Done {
  return done(resolution.action, resolution, interrupt);
}
