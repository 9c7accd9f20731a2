import { expect, test } from 'vitest';

import {
  checkProviderTools,
  providerToolLines,
  providerTools,
} from '../../commands/agent/replies/provider-tools.js';
import type { CreatedModel } from '../../src/models/index.js';

test('tools of the provider are read with their limits, and told with them', () => {
  const tools = providerTools(['web_search:3:example.com,docs.org/api', 'web_fetch', 'code_execution']);
  expect(tools).toEqual([
    { name: 'web_search', maxUses: 3, domains: ['example.com', 'docs.org/api'] },
    { name: 'web_fetch', maxUses: 5 },
    { name: 'code_execution' },
  ]);
  expect(providerToolLines(tools)).toEqual([
    'web_search runs at the provider without asking (max 3 per request, on example.com, docs.org/api)',
    'web_fetch runs at the provider without asking (max 5 per request, any site)',
    'code_execution runs at the provider without asking',
  ]);
  expect(providerTools(['none'])).toEqual([]);
});

test.for([
  [['web_serch'], 'unknown tool `web_serch`'],
  [['web_search:0'], 'calls must be 1 to 100, got `0`'],
  [['web_search:many'], 'calls must be 1 to 100, got `many`'],
  [['web_search:1:a b'], 'invalid site `a b`'],
  [['web_search:1:https://a.b'], 'invalid site `//a.b`'],
  [['code_execution:1'], '`code_execution` does not accept a call limit or sites'],
  [['web_fetch', 'web_fetch:2'], 'duplicate tool `web_fetch`'],
] as const)('%j is refused: %s', ([given, problem]) => {
  expect(() => providerTools(given)).toThrow(`--server-tool: ${problem}`);
});

test('tools of the provider need a model that has some, and go with no limit of cost', () => {
  const model = (hasProviderTools: boolean): CreatedModel => ({
    id: 'm',
    hasProviderTools,
    async *generate() {},
  });
  const tools = providerTools(['web_search']);
  const check = (has: boolean, named: typeof tools, maxCost?: number) => () => {
    checkProviderTools(model(has), named, maxCost);
  };
  expect(check(false, tools)).toThrow('`m` has no provider tools');
  expect(check(true, tools, 1)).toThrow('cannot be enforced');
  expect(check(true, tools)).not.toThrow();
  expect(check(false, [], 1)).not.toThrow();
});
