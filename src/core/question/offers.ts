import { isFourEyes } from './standing-votes.js';
import { assertNever } from '../data/assert.js';
import { isOfLeft } from '../data/interrupt.js';
import type { Interrupt, InterruptKind, NodeSource, RunSource, ToolSource } from '../data/interrupt.js';
import type { ResolutionAction } from '../data/resolution.js';
import type { Offer, Way } from './way.js';
import { WAYS } from './ways.js';

/** The part of a source that decides which ways are offered. */
type Raiser =
  Pick<ToolSource, 'type'> | Pick<RunSource, 'type'> | Pick<NodeSource, 'type' | 'phase' | 'operation'>;

const RUN_ENDS = { help: 'the run ends here' };

const GATE_WORDS: Readonly<Partial<Record<ResolutionAction, Omit<Offer, 'way'>>>> = {
  reject: { help: 'before a node: it does not run; after it: what it did to the state is undone' },
  cancel: RUN_ENDS,
};

/**
 * The ways that each kind offers, in the order of the screen; the first is never a default. A gate takes its own from
 * the table.
 */
const OFFERS: Readonly<Record<Exclude<InterruptKind, 'gate'>, readonly Offer[]>> = {
  question: [
    {
      way: 'respond',
      line: 'the answer',
      label: 'answer',
      help: 'what you say becomes the result of the call',
    },
    { way: 'cancel', line: '/cancel', help: 'there is no answer; the model is told' },
  ],
  confirmation: [
    { way: 'restart' },
    { way: 'edit' },
    { way: 'reject' },
    { way: 'respond' },
    { way: 'always', only: 'tool' },
    { way: 'cancel' },
  ],
  pause: [
    { way: 'continue' },
    {
      way: 'rerun',
      line: 'rerun guidance',
      label: 'send guidance',
      help: 'the run goes on and reads your words',
    },
    { way: 'cancel', ...RUN_ENDS },
  ],
  error: [
    { way: 'retry' },
    { way: 'edit', only: 'tool', label: 'edit and retry', help: 'it runs again with your input' },
    {
      way: 'reject',
      line: 'n [words]',
      label: 'tell the model',
      help: 'the model is told of the error and may correct itself',
    },
    { way: 'respond', help: 'what you say is its result' },
    {
      way: 'continue',
      only: 'operation',
      label: 'take what is recorded',
      help: 'what the journal has there counts as the result of what the code does now',
    },
    { way: 'skip', only: 'node' },
    { way: 'go-back', only: 'node' },
    { way: 'cancel', only: 'tool' },
    { way: 'cancel', only: 'node', ...RUN_ENDS },
  ],
  'in-doubt': [
    { way: 'respond', label: 'it happened', help: 'nothing runs; what you enter is its result' },
    {
      way: 'retry',
      label: 'run it again',
      help: 'it runs as if it had never started: if it did happen, it happens twice',
    },
    {
      way: 'reject',
      line: 'n [words]',
      label: 'it failed',
      help: 'nothing runs; the model is told that it failed',
    },
    { way: 'cancel', only: 'tool', help: 'nothing runs; the model is told that the outcome is unknown' },
    { way: 'cancel', only: 'node', ...RUN_ENDS },
  ],
  limit: [
    {
      way: 'continue',
      byRaiser: true,
      label: 'compact',
      help: 'what was said before is summed up for the model; all of it stays on disk, and /fork goes on elsewhere',
    },
    { way: 'extend' },
    { way: 'cancel', label: 'stop', ...RUN_ENDS },
  ],
};

const WAY_NAMES: readonly Offer['way'][] = Object.keys(WAYS).filter((name) => isWayName(name));

function isWayName(name: string): name is Offer['way'] {
  return Object.hasOwn(WAYS, name);
}

const GATE: readonly Offer[] = WAY_NAMES.flatMap((way) => {
  const { gate, action } = WAYS[way];
  if (gate === undefined) return [];
  return [{ way, ...(gate !== 'both' && { only: gate }), ...GATE_WORDS[action] }];
});

/** The gate before an operation of a workflow's code: nothing of the graph around it is decided there. */
const OPERATION_GATE: readonly Offer[] = [
  { way: 'continue' },
  { way: 'respond' },
  { way: 'reject', help: 'it does not run, and the code sees that it failed' },
  { way: 'cancel', ...RUN_ENDS },
];

/** The ways of a kind, whoever asks; without a source those of every source. */
function offersOf(kind: InterruptKind, source?: Raiser): readonly Offer[] {
  const offers = kind !== 'gate' ? OFFERS[kind] : isFrom(source, 'operation') ? OPERATION_GATE : GATE;
  return source === undefined
    ? offers
    : offers.filter(({ only }) => only === undefined || isFrom(source, only));
}

function isFrom(source: Raiser | undefined, only: NonNullable<Offer['only']>): boolean {
  if (source === undefined) return false;
  switch (only) {
    case 'tool':
    case 'node':
      return source.type === only;
    case 'operation':
      return source.type === 'node' && source.operation !== undefined;
    case 'before':
    case 'after':
      return source.type === 'node' && source.phase === only;
    default:
      return assertNever(only);
  }
}

/** The actions that a kind of interrupt allows unless its raiser narrows them; without a source those of every source. */
export function allowedActions(kind: InterruptKind, source?: Raiser): readonly ResolutionAction[] {
  const usual = offersOf(kind, source).filter(({ byRaiser }) => byRaiser !== true);
  return [...new Set(usual.map(({ way }) => WAYS[way].action))];
}

/** The ways to answer a kind of interrupt, in the order of the screen and in the words of the kind; whoever raises one may narrow them. */
export function waysOf(kind: InterruptKind, source: Raiser): readonly Way[] {
  return offersOf(kind, source).map(({ way, only: _only, byRaiser: _byRaiser, ...words }) => ({
    ...WAYS[way],
    ...words,
  }));
}

/** The ways to answer an interrupt. */
export function waysAt(interrupt: Interrupt): readonly Way[] {
  const { kind, source, allowed, edit, kept, approvers } = interrupt;
  const ways = waysOf(kind, source).filter(
    ({ action, takes, always }) =>
      allowed.includes(action) &&
      (action !== 'restart' || runsBy(takes, edit)) &&
      (always !== true || approvers === undefined), // no rule has the word of the people who are needed
  );
  const proposes = isFourEyes(interrupt) && source.type === 'tool' && edit !== 'required';
  const isLeftOut = isOfLeft(interrupt);
  if (kept === undefined && !proposes && !isLeftOut) return ways;
  return ways.map((way) => {
    if (kept !== undefined && way.action === 'respond') return { ...way, help: GOES_ON };
    if (isLeftOut && way.action === 'continue') return { ...way, ...LEAVES };
    if (isLeftOut && way.action === 'retry') return { ...way, help: TRIES };
    return proposes && way.takes === 'input' ? { ...way, help: PROPOSES } : way;
  });
}

/** The words for an edit that somebody else has to approve. */
const PROPOSES = 'propose another input; somebody else is asked to approve it';

/** True where a way to run a call is one of those that its raiser offers. */
function runsBy(takes: Way['takes'], edit: Interrupt['edit']): boolean {
  return edit === undefined || (takes === 'input') === (edit === 'required');
}

/** The words for going on where code does not come to what its journal has. */
const LEAVES = {
  label: 'go on with this code',
  help: 'it need not come to what is left of the journal; what that did stays done',
};
const TRIES = 'for code that was put right since; nothing is done anew';

/** The words for an answer that is not the result of the call. */
const GOES_ON = 'the tool goes on with what you say';

/** Lists what a message may ask of a run: what a gate takes, and to pause. */
export function messageActions(): readonly ResolutionAction[] {
  return [...allowedActions('gate'), 'pause'];
}
