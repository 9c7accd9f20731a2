import { isFourEyes } from './standing-votes.js';
import { assertNever } from '../data/assert.js';
import { isOfLeft } from '../data/interrupt.js';
import type { Interrupt, InterruptKind, NodeSource, RunSource, ToolSource } from '../data/interrupt.js';
import type { ResolutionAction } from '../data/resolution.js';
import { asksForGrant } from './grant.js';
import type { Offer, Way } from './way.js';
import { WAYS } from './ways.js';

/** The properties of a question's source that determine its actions. */
type Raiser =
  | Pick<ToolSource, 'type'>
  | Pick<RunSource, 'type'>
  | Pick<NodeSource, 'type' | 'phase' | 'operation'>;

const RUN_ENDS = { label: 'cancel run', help: 'end the run here; you can resume it later' };

const GATE_WORDS: Readonly<Partial<Record<ResolutionAction, readonly Omit<Offer, 'way'>[]>>> = {
  reject: [
    { only: 'before', help: 'don’t run the node' },
    { only: 'after', help: 'undo the node’s state changes' },
  ],
  cancel: [RUN_ENDS],
};

/**
 * Actions for each kind of interrupt, in screen order. The first one is never a default. Gates have their own
 * table.
 */
const OFFERS: Readonly<Record<Exclude<InterruptKind, 'gate'>, readonly Offer[]>> = {
  question: [
    {
      way: 'respond',
      line: 'the answer',
      label: 'answer',
      help: 'your answer becomes the result',
    },
    { way: 'cancel', only: 'tool', line: '/cancel', help: 'decline to answer; the model is informed' },
    { way: 'cancel', only: 'node', line: '/cancel', ...RUN_ENDS },
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
      help: 'continue, and send your instructions to the run',
    },
    { way: 'cancel', ...RUN_ENDS },
  ],
  error: [
    { way: 'retry' },
    { way: 'edit', only: 'tool', label: 'edit and retry', help: 'change the input, then run it again' },
    {
      way: 'reject',
      only: 'tool',
      line: 'n [words]',
      label: 'tell the model',
      help: 'send the error to the model; it may try another way',
    },
    {
      way: 'reject',
      only: 'node',
      line: 'n [words]',
      label: 'let it fail',
      help: 'the node fails with this error',
    },
    { way: 'respond', help: 'type the result yourself' },
    {
      way: 'continue',
      only: 'operation',
      label: 'use recorded result',
      help: 'keep the journal’s result for this operation',
    },
    { way: 'skip', only: 'node' },
    { way: 'go-back', only: 'node' },
    { way: 'cancel', only: 'tool' },
    { way: 'cancel', only: 'node', ...RUN_ENDS },
  ],
  'in-doubt': [
    { way: 'respond', label: 'it happened', help: 'record it as done, with the result you type' },
    {
      way: 'retry',
      label: 'run again',
      help: 'run it again; if it did happen, it happens twice',
    },
    {
      way: 'reject',
      only: 'tool',
      line: 'n [words]',
      label: 'it failed',
      help: 'record it as failed; tell the model',
    },
    { way: 'reject', only: 'node', line: 'n [words]', label: 'it failed', help: 'record it as failed' },
    { way: 'cancel', only: 'tool', help: 'run nothing; tell the model the outcome is unknown' },
    { way: 'cancel', only: 'node', ...RUN_ENDS },
  ],
  limit: [
    {
      way: 'continue',
      byRaiser: true,
      label: 'compact',
      help: 'summarize older messages for the model; the full history stays on disk',
    },
    { way: 'extend' },
    { way: 'cancel', ...RUN_ENDS, label: 'stop' },
  ],
};

const WAY_NAMES: readonly Offer['way'][] = Object.keys(WAYS).filter((name) => isWayName(name));

function isWayName(name: string): name is Offer['way'] {
  return Object.hasOwn(WAYS, name);
}

const GATE: readonly Offer[] = WAY_NAMES.flatMap((way) => {
  const { gate, action } = WAYS[way];
  if (gate === undefined) return [];
  const words = GATE_WORDS[action] ?? [{}];
  return words.map((more) => ({ way, ...(gate !== 'both' && { only: gate }), ...more }));
});

/**
 * Actions for a gate before an operation in workflow code. They do not affect the flow of the enclosing
 * graph.
 */
const OPERATION_GATE: readonly Offer[] = [
  { way: 'continue' },
  { way: 'respond' },
  { way: 'reject', help: 'don’t run it; the code sees an error' },
  { way: 'cancel', ...RUN_ENDS },
];

/**
 * Returns the actions for a kind of interrupt and its source. Without a source, returns the actions for all
 * sources.
 */
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

/**
 * Returns the actions that an interrupt of a kind allows, unless the code that asks restricts them. Without a
 * source, returns the actions for all sources.
 */
export function allowedActions(kind: InterruptKind, source?: Raiser): readonly ResolutionAction[] {
  const usual = offersOf(kind, source).filter(({ byRaiser }) => byRaiser !== true);
  return [...new Set(usual.map(({ way }) => WAYS[way].action))];
}

/**
 * Returns the actions for a kind of interrupt, in screen order and with their wording. The code that asks may
 * restrict them.
 */
export function waysOf(kind: InterruptKind, source: Raiser): readonly Way[] {
  return offersOf(kind, source).map(({ way, only: _only, byRaiser: _byRaiser, ...words }) => ({
    ...WAYS[way],
    ...words,
  }));
}

/** Returns the actions that an interrupt allows. */
export function waysAt(interrupt: Interrupt): readonly Way[] {
  const { kind, source, allowed, edit, kept, approvers } = interrupt;
  const ways = waysOf(kind, source).filter(
    ({ action, takes, always }) =>
      allowed.includes(action) &&
      (action !== 'restart' || runsBy(takes, edit)) &&
      (always !== true || (approvers === undefined && !asksForGrant(interrupt))), // no rule has the word of the people who are needed
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

/** Help text for an edit that someone else must approve. */
const PROPOSES = 'propose a changed input; someone else must approve it';

/** Whether a question offers an action that runs the call, either as shown or with a changed input. */
function runsBy(takes: Way['takes'], edit: Interrupt['edit']): boolean {
  return edit === undefined || (takes === 'input') === (edit === 'required');
}

/** Label and help text for continuing when the code does not reach all operations in the journal. */
const LEAVES = {
  label: 'continue with this code',
  help: 'let the code skip the rest of the journal; effects are not undone',
};
const TRIES = 'run again with fixed code; effects are not repeated';

/** Help text for an answer that does not become the result of the call. */
const GOES_ON = 'the tool continues with your answer';

/** Returns the actions that a message may request from a run: the actions for a gate, and `pause`. */
export function messageActions(): readonly ResolutionAction[] {
  return [...allowedActions('gate'), 'pause'];
}
