import { describe, expect, test } from 'vitest';

import type { Model, ModelEvent } from '../../src/core/index.js';
import type { ModelMiddleware } from '../../src/models/wrap-model.js';
import { wrapModel } from '../../src/models/wrap-model.js';
import { requestOf } from './anthropic-server.js';

const echo: Model = {
  id: 'echo',
  async *generate({ system = '' }) {
    yield { type: 'text-delta', text: system };
  },
};

const appending = (letter: string): ModelMiddleware =>
  async function* (request, next, signal) {
    yield { type: 'reasoning-delta', text: letter };
    yield* next({ ...request, system: `${request.system ?? ''}${letter}` }, signal);
  };

async function told(model: Model): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.generate(requestOf(), new AbortController().signal)) events.push(event);
  return events;
}

describe('a wrapped model', () => {
  test('passes requests in from the first layer to the last, and events out', async () => {
    const model = wrapModel(echo, appending('a'), appending('b'));

    expect(model.id).toBe('echo');
    expect(await told(model)).toEqual([
      { type: 'reasoning-delta', text: 'a' },
      { type: 'reasoning-delta', text: 'b' },
      { type: 'text-delta', text: 'ab' },
    ]);
  });

  test('may be answered by a layer, without the model', async () => {
    const model = wrapModel(echo, async function* () {
      yield { type: 'text-delta', text: 'mine' };
    });

    expect(await told(model)).toEqual([{ type: 'text-delta', text: 'mine' }]);
  });

  test('is the model itself without layers', () => {
    expect(wrapModel(echo)).toBe(echo);
  });
});
