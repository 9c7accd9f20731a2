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

  test('remembers what was started behind it, also after going back once more', async () => {
    const once = rewound(await talked(), 3);
    const taken = [{ name: 'look', input: {} }];
    expect([once.takenBack, rewound(once, 1).takenBack, rewound(await talked(), 5).takenBack]).toEqual([
      taken,
      taken,
      undefined,
    ]);
  });

  test('has the rules of the session that were made before, and none that was made in what is gone', async () => {
    const ruled = (state: RunState, name: string): RunState =>
      evolve(state, {
        type: 'rule-added',
        rule: { effect: 'allow', tool: name, toolDigest: 'd' },
        by: { type: 'script', name: 'a', via: 'flag' },
      });
    const look = tool('look', () => 'seen');
    const first = ruled(stateAfter(userSaid('one')), 'early');
    const { state } = await drive(first, scene({ replies: ['1'], tools: [look] }));
    const all = ruled(evolve(state, userSaid('two')), 'late');
    const names = ({ rules }: RunState): readonly string[] => rules.map((rule) => rule.tool);
    expect({
      all: names(all),
      two: names(rewound(all, 2)),
      one: names(rewound(all, 1)),
      again: names(rewound(ruled(rewound(all, 1), 'new'), 0)),
    }).toEqual({ all: ['early', 'late'], two: ['early'], one: [], again: [] });
  });

  test.each([
    [-1, 'invalid number of messages to keep: -1 of 6'],
    [6, 'invalid number of messages to keep: 6 of 6'],
    [4, 'message 4 cannot be separated from the results of its calls'],
  ])('cannot keep %i messages of six: %s', async (keep, why) => {
    const state = await talked();
    expect(() => rewound(state, keep)).toThrow(why);
  });
});
