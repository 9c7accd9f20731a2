import { expect, test } from 'vitest';

import { listedModel } from '../../src/models/anthropic/models.js';

test.for([
  ['claude-sonnet-4-5-20250929', 200_000],
  ['claude-opus-4-0', 200_000],
  ['claude-opus-4-6', 1_000_000],
  ['claude-haiku-5-5', 1_000_000],
  ['llama3:8b', undefined],
] as const)('the window of %s is %j', ([model, tokens]) => {
  expect(listedModel(model)?.window).toBe(tokens);
});
