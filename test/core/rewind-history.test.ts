import { describe, expect, test } from 'vitest';

import type { RunState } from '../../src/core/index.js';
import { evolve } from '../../src/core/index.js';
import { nextStep } from '../../src/engine/index.js';
import { toolSet } from '../../src/tools/index.js';
import { drive, calls, scene, tool } from '../engine/drive.js';
import { stateAfter, userSaid } from '../helpers/events.js';

async function talked(): Promise<RunState> {
  const look = tool('look', () => 'seen');
  const { state } = await drive(stateAfter(userSaid('one')), scene({ replies: ['1'], tools: [look] }));
  const second = evolve(state, userSaid('two'));
  return (await drive(second, scene({ replies: ['1', calls(['look']), 'done'], tools: [look] }))).state;
}

function rewound(state: RunState, keep: number): RunState {
  return evolve(state, { type: 'history-rewound', keep });
}

function roles({ entries, view }: RunState): readonly [string, string] {
  const short = (list: Iterable<{ readonly role: string }>): string =>
    [...list].map(({ role }) => role.charAt(0)).join('');
  return [short([...entries].map(({ message }) => message)), short(view)];
}

describe('a conversation that goes back', () => {
  test('ends where it ended then, and waits for the user', async () => {
    const back = rewound(await talked(), 2);
    expect({ roles: roles(back), turns: back.turns, ended: back.ended }).toEqual({
      roles: ['um', 'um'],
      turns: 1,
      ended: { type: 'done' },
    });
  });

  test.each([
    [1, 1],
    [3, 2],
    [5, 2],
  ])('of which %i messages stay is asked again where the model was to answer', async (keep, turns) => {
    const back = rewound(await talked(), keep);
    expect(back.turns).toBe(turns);
    const step = nextStep(back, { tools: toolSet([]), limits: {}, elapsedMs: 0 });
    expect(step.type).toBe('call-model');
  });

  test.each([
    [-1, 'nothing to take back'],
    [6, 'nothing to take back'],
    [4, 'go together'],
  ])('cannot keep %i messages of six: %s', async (keep, why) => {
    const state = await talked();
    expect(() => rewound(state, keep)).toThrow(why);
  });
});
