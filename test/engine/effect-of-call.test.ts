import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { Effect } from '../../src/core/index.js';
import { emptyState, evolve } from '../../src/core/index.js';
import { defineTool } from '../../src/tools/index.js';
import { userSaid } from '../helpers/events.js';
import { calls, drive, scene } from './drive.js';

/** The effect with which a call of a tool is recorded that says `told` of it. */
async function recorded(effect: Effect, told: () => Effect | Promise<Effect>): Promise<unknown> {
  const look = defineTool(
    { name: 'look', description: 'Looks.', input: z.object({}), effect, effectOf: told },
    () => 'seen',
  );
  const replies = [calls(['look']), 'done'];
  const driven = await drive(evolve(emptyState(), userSaid('look')), scene({ replies, tools: [look] }));
  const started = driven.events.find(({ type }) => type === 'tool-started');
  return started?.type === 'tool-started' ? started.effect : undefined;
}

describe('the effect of one call', () => {
  test.for<[Effect, Effect, Effect]>([
    ['once', 'none', 'none'],
    ['once', 'idempotent', 'idempotent'],
    ['once', 'once', 'once'],
    ['idempotent', 'none', 'none'],
    ['idempotent', 'once', 'idempotent'],
    ['none', 'once', 'none'],
  ])(
    'of a tool with %s that says %s is recorded as %s: it can only be less',
    async ([effect, told, kept]) => {
      expect(await recorded(effect, () => told)).toBe(kept);
    },
  );

  test('is that of the tool if it cannot tell, or tells nonsense', async () => {
    expect(
      await recorded('once', () => {
        throw new Error('cannot tell');
      }),
    ).toBe('once');
    expect(await recorded('once', () => 'nothing' as never)).toBe('once');
  });
});
