import { expect, expectTypeOf, test } from 'vitest';

import { checkConfig } from '../../commands/config/config-schema.js';
import type { ConfigKey, SettingKey } from '../../commands/settings/settings.js';
import { SETTINGS } from '../../commands/settings/table.js';
import type { HitlConfig } from '../../src/index.js';
import { defineConfig } from '../../src/index.js';

const EVERYTHING = {
  model: 'demo',
  effort: 'high',
  thinking: 'on',
  baseUrl: 'https://models.example.org',
  allowHttp: false,
  models: { fast: 'demo' },
  system: 'Be kind.',
  tools: ['./tools.ts'],
  rules: { deny: ['run_command rm'], ask: ['fetch_url'] },
  mode: 'read-only',
  reviewer: false,
  memory: 'off',
  sandbox: 'required',
  maxTurns: 20,
  maxCost: 1.5,
  maxTokens: 100_000,
  maxTime: '5m',
  contextLimit: 50_000,
  compact: 'ask',
  onToolError: 'ask',
  notify: ['notify-team', '--channel', 'ops'],
  statusLine: false,
} as const satisfies Required<HitlConfig>;

/** The keys that a project may say, by the table. */
type OfProjects = {
  [Key in ConfigKey]: (typeof SETTINGS)[Key]['file'] extends 'you' ? never : Key;
}[ConfigKey];

test('the keys of defineConfig are those that a project may say', () => {
  expectTypeOf<keyof HitlConfig>().toEqualTypeOf<OfProjects>();
  const inTable = Object.entries(SETTINGS).filter(([, row]) => 'file' in row && row.file !== 'you');
  expect(Object.keys(EVERYTHING).sort()).toEqual(
    inTable.map(([key]) => key satisfies string as SettingKey).sort(),
  );
});

test('defineConfig returns what it is given, and every key of it is a configuration', () => {
  const config = defineConfig(EVERYTHING);
  expect(config).toBe(EVERYTHING);
  expect(checkConfig(config, 'hitl.config.ts')).toEqual({ ...EVERYTHING, maxTime: 300_000 });
});
