import { describe, expect, test } from 'vitest';

import { resolutionProblem, shapeProblem } from '../../src/core/index.js';
import { answerSchema } from '../../src/core/told/answer-schema.js';
import { actorSchema } from '../../src/core/told/schemas.js';
import { ACTORS, PERSON, RESOLUTIONS } from '../helpers/answers.js';
import { damages, ODD_JSON } from '../helpers/damaged.js';

/** What a member is replaced by; `undefined` takes it away. */
const ODD = [...ODD_JSON, 0, 'constructor', '__proto__', 'a\u202Eb', undefined];

/** What may be said beside the members of an answer. */
const STRANGE = ['shown', 'verbatim', 'reason', 'constructor', 'more'];

/** A resolution with a member that it has not, or with another value of one. */
function* withMore(resolution: object): Generator {
  for (const name of STRANGE)
    for (const value of [1, 'x', {}, { input: 1 }]) yield { ...resolution, [name]: value };
}

/** The value as JSON carries it. */
function asJson(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

function answerOf(resolution: unknown, by: unknown): unknown {
  return asJson({ id: 'i1', digest: 'd', resolution, by });
}

/** The answers of which the schema does not say what the check by hand says. */
function disagreements(answers: readonly unknown[]): readonly unknown[] {
  return answers.filter(
    (answer) => answerSchema.safeParse(answer).success !== (shapeProblem(answer) === undefined),
  );
}

describe('answers are the same to the check by hand and to the schema', () => {
  test.for(RESOLUTIONS.map((one) => [one.action, one] as const))('%s, whole and damaged', ([, whole]) => {
    const all = [whole, ...damages(whole, ODD), ...withMore(whole)].map((one) => answerOf(one, PERSON));
    expect(shapeProblem(all[0])).toBeUndefined();
    expect(all.filter((one) => shapeProblem(one) !== undefined)).not.toEqual([]);
    expect(disagreements(all)).toEqual([]);
  });

  test.for(ACTORS.map((one) => [JSON.stringify(one).slice(0, 60), one] as const))('by %s', ([, whole]) => {
    const [reject] = RESOLUTIONS.filter(({ action }) => action === 'reject');
    const all = [whole, ...damages(whole, ODD)].map((one) => answerOf(reject, one));
    expect(actorSchema.safeParse(whole).success).toBe(true);
    expect(disagreements(all)).toEqual([]);
  });

  test('and so are the id, the digest and what is no answer at all', () => {
    expect(
      disagreements(
        [...damages({ id: 'i1', digest: 'd', resolution: { action: 'retry' }, by: PERSON }, ODD)].map(asJson),
      ),
    ).toEqual([]);
  });
});

describe('resolutionProblem', () => {
  test.for<[unknown, string]>([
    [{}, '`resolution.action` must be an action name'],
    [{ action: 'approve' }, 'unknown action `approve`'],
    [{ action: '__proto__' }, 'unknown action `__proto__`'],
    [{ action: 'restart', inptu: 1 }, 'unknown property `inptu` of `restart`'],
    [{ action: 'sequence', actions: [{ action: 'goto' }] }, '`actions[0].node` must be a string'],
  ])('says of %j what is wrong', ([given, problem]) => {
    expect(resolutionProblem(given)).toBe(problem);
  });
});
