import { expect, test } from 'vitest';

import { generate, openChat, openFlow, workflow } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

const model = scriptedModel([]);
const flow = workflow('idle', async () => 'done');

/** As JavaScript calls it, which no compiler looks at. */
function called(open: (...given: never[]) => unknown, ...given: unknown[]): Promise<unknown> {
  return Promise.resolve((open as (...given: unknown[]) => unknown)(...given));
}

test.each([
  ['openChat', [{ model, chanel: {} }], 'unknown option `chanel` of `openChat`; did you mean `channel`?'],
  ['openChat', ['s1', { model, store: 'here', stopwhen: () => '' }], 'did you mean `stopWhen`?'],
  ['openChat', ['s1', { model }], '`store` of `openChat` is missing'],
  ['openChat', [{ model, limits: 5 }], '`limits` of `openChat` must be an object'],
  ['openFlow', [flow, { chanel: {} }], 'unknown option `chanel` of `openFlow`; did you mean `channel`?'],
  [
    'generate',
    [{ model, prompt: 'go', resum: {} }],
    'unknown option `resum` of `generate`; did you mean `resume`?',
  ],
  [
    'generate',
    [{ model, prompt: 'go', toolChoice: 'auto' }],
    'unknown option `toolChoice` of `generate`; there are: model,',
  ],
  ['generate', [], '`generate` must be an object'],
] as const)('%s refuses what it does not have before anything happens: %#', async (name, given, words) => {
  const refused = called({ openChat, openFlow, generate }[name], ...given);
  await expect(refused).rejects.toMatchObject({
    code: 'BAD_CONFIG',
    message: expect.stringContaining(words) as string,
  });
});
