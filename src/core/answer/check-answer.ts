import { actorName } from '../data/actor-name.js';
import { stateAt } from './state-at.js';
import { graphAnswerProblem } from '../state/check-graph-answer.js';
import type { Interrupt } from '../data/interrupt.js';
import { digestCovers } from '../question/make-interrupt.js';
import type { JsonValue } from '../data/json.js';
import type { Answer } from '../data/resolution.js';
import { placesBehind } from '../question/seal.js';
import { withMemberAt } from '../question/places.js';
import type { RunState } from '../state/state.js';
import { openInterrupt, openInterrupts } from '../state/state.js';
import { passedOn } from './answer-events.js';
import { voterProblem } from './voter.js';
import { votesIn } from './guard.js';
import { wayProblem } from '../question/narrow.js';
import { schemaProblem, SEALED } from '../data/fits-schema.js';

/** The kind of fault of an answer. */
type AnswerProblemKind = 'unknown' | 'stale' | 'changed' | 'not-allowed' | 'not-eligible' | 'bad-output';

/** Why an answer is refused. */
export interface AnswerProblem {
  readonly kind: AnswerProblemKind;
  readonly message: string;
}

/**
 * Returns why an answer is invalid in a state; `undefined` if it is valid. Used wherever answers are
 * accepted.
 */
export function answerProblem(
  state: RunState,
  answer: Pick<Answer, 'id' | 'digest' | 'resolution' | 'by'>,
): AnswerProblem | undefined {
  const interrupt = openInterrupt(state, answer.id);
  if (interrupt === undefined) return notOpen(state, answer.id);
  const what = describeInterrupt(interrupt);
  const problem = interruptProblem(interrupt, answer);
  if (problem !== undefined) return problem;
  const who = voterProblem(interrupt, answer, { ...state, votes: votesIn(state) });
  if (who !== undefined) return { kind: 'not-eligible', message: `${what}: ${who}` };
  if (interrupt.source.type === 'tool') return undefined;
  const frame = stateAt(state, interrupt.path)?.graph;
  const why = frame === undefined ? undefined : graphAnswerProblem(frame, interrupt, answer.resolution);
  return why === undefined ? undefined : { kind: 'not-allowed', message: `${what} cannot take this: ${why}` };
}

/** A decision, with the paths of removed secrets: their replacements need not be valid. */
type Decided = Pick<Answer, 'digest' | 'resolution'> & { readonly secrets?: readonly string[] };

/** Returns why an answer is invalid for a question, ignoring other open ones; `undefined` if it is valid. */
export function interruptProblem(
  interrupt: Interrupt,
  { digest, resolution, secrets }: Decided,
): AnswerProblem | undefined {
  const what = describeInterrupt(interrupt);
  if (digest !== interrupt.digest)
    return { kind: 'changed', message: `${what} was shown with another input than it has now` };
  const { answerSchema } = interrupt;
  const other = wayProblem(interrupt, resolution);
  if (other !== undefined)
    return { kind: 'not-allowed', message: `\`${resolution.action}\` does not answer ${what}; ${other}` };
  if (resolution.action !== 'respond' || answerSchema === undefined) return undefined;
  // What an older version asked was not held to its schema, and its journal is still read.
  if (digestCovers(interrupt) === 'older') return undefined;
  const why = schemaProblem(sealedIn(resolution.output, secrets), answerSchema);
  return why === undefined
    ? undefined
    : { kind: 'bad-output', message: `invalid answer to ${what}: ${why}` };
}

function sealedIn(output: JsonValue, secrets: readonly string[] = []): JsonValue {
  return placesBehind('output', secrets).reduce((value, place) => withMemberAt(value, place, SEALED), output);
}

/** An interrupt in an error message: `transfer_money#toolu_1 (i2)`. */
export function describeInterrupt({ source, id, kind }: Interrupt): string {
  return source.type === 'tool' ? `\`${source.name}#${source.ref}\` (${id})` : `${kind} \`${id}\``;
}

function notOpen(state: RunState, id: string): AnswerProblem {
  const before = state.resolved.findLast(({ interrupt }) => interrupt.id === id);
  if (before !== undefined) {
    const { interrupt, resolution, by } = before;
    const what = describeInterrupt(interrupt);
    return {
      kind: 'stale',
      message: `${what} was answered already: ${resolution.action}, by ${actorName(by)}`,
    };
  }
  const open = openInterrupts(state);
  const passed = passedOn(state, id);
  if (passed !== undefined) return { kind: 'stale', message: passed };
  const ids = open.length === 0 ? 'nothing is open' : `open: ${open.map(describeInterrupt).join(', ')}`;
  return { kind: 'unknown', message: `no interrupt \`${id}\`; ${ids}` };
}
