import { describe, expect, test } from 'vitest';

import { membersOf, openInterrupts } from '../../../src/core/index.js';
import { killPoints } from '../../helpers/kill-points.js';
import { decide } from '../drive-graph.js';
import type { Place, Went } from './mutations/mutated-runs.js';
import { goesOn, journalOf, placesOf } from './mutations/mutated-runs.js';
import type { Edit } from './mutations/sample-programs.js';
import { editsOf, fits, SAMPLES } from './mutations/sample-programs.js';

/** What is wrong with what came of an edit; `undefined` where nothing is. */
async function wrong(place: Place, edit: Edit): Promise<string | undefined> {
  const meant = fits(edit.lines, journalOf(place.state)) ? 'done' : 'told';
  const went = await goesOn(place, edit.lines);
  if (went.end !== meant) return `${went.end}, and not ${meant}`;
  const anew = [...went.effects.keys()].filter((key) => !place.effects.has(key));
  if (went.end === 'told' && anew.length > 0) return `told after ${anew.join(', ')}`;
  const further = await agreedTo(went, edit);
  return further.end === 'done' ? twice(further.effects) : 'told again of what was agreed to';
}

/** A person agrees to each difference: to what is recorded where code asks for something else, and once to what is left. */
async function agreedTo(told: Went, edit: Edit): Promise<Went> {
  const left = isOfLeft(told);
  if (told.end === 'done') return told;
  const state = decide(told.state, { action: 'continue' }, ({ kind }) => kind === 'error');
  const went = await goesOn({ state, effects: told.effects }, edit.lines);
  return left && isOfLeft(went) ? went : agreedTo(went, edit);
}

function isOfLeft({ state }: Went): boolean {
  return openInterrupts(state).some(({ payload }) => membersOf(payload)['left'] !== undefined);
}

function twice(effects: ReadonlyMap<string, number>): string | undefined {
  const again = [...effects].filter(([, times]) => times > 1).map(([key]) => key);
  return again.length > 0 ? `done twice: ${again.join(', ')}` : undefined;
}

describe('code that was edited, on every place of a journal (N4)', () => {
  test.for(Object.entries(SAMPLES))(
    'G49, O3: %s: a difference is told before anything new runs, and no other is',
    async ([name, lines]) => {
      const places = await placesOf(lines);
      const found: string[] = [];
      const pairs = places.flatMap((place, at) => [
        { place, at, edit: { says: 'nothing', lines } },
        ...editsOf(lines).map((edit) => ({ place, at, edit })),
      ]);
      for (const { place, at, edit } of killPoints(pairs, 9, name.length)) {
        const problem = await wrong(place, edit);
        if (problem !== undefined) found.push(`${edit.says}, at ${at} of ${places.length}: ${problem}`);
      }
      expect(found).toEqual([]);
    },
  );
});
