// Rules of a configuration against calls: another `deny` never allows more, and order means nothing.
import fc from 'fast-check';
import { expect } from 'vitest';

import type { JsonValue, ToolRule } from '../../src/core/index.js';
import { judgeCall, readRule } from '../../src/core/index.js';
import type { PolicyVerdict } from '../../src/human/index.js';
import { ruleOn } from '../../src/human/index.js';
import { hostileText } from '../render/hostile.js';
import { fuzzTarget } from './fuzz.js';

const STRENGTH = { deny: 4, doubt: 3, ask: 2, review: 1, allow: 0 } as const;
const WORDS = ['git', 'push', 'rm', '-rf', '/usr/bin/git', 'bash', '-c', 'env', 'A=b', 'sudo', 'ls'];
const TEXTS = [
  ...[
    'git push',
    'rm -rf .',
    'ls; rm -rf .',
    'ls && git push',
    '$(git push)',
    'git  push',
    "'git' push",
    'gi\\t push',
  ],
  ...[
    'A=b git push',
    'ls | sh',
    'ls\ngit push',
    'env git push',
    '/usr/bin/git push',
    '`rm`',
    'git push # ls',
    '',
  ],
];

const command = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(' ')),
  hostileText(),
);
const inputs: fc.Arbitrary<JsonValue> = fc.oneof(
  fc
    .tuple(command, fc.option(fc.constantFrom('.', '..', '/', 'a/../..', 'sub'), { nil: undefined }))
    .map(([text, cwd]): JsonValue => ({ command: text, ...(cwd !== undefined && { cwd }) })),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((argv): JsonValue => ({ argv })),
  fc.constantFrom<JsonValue>({}, null, [], 'git push'),
);
/** What the tool shows of a command that is what its words say. */
const FACTS = { 'working directory': '/work' };
const tools = fc.constantFrom('run_command', 'pay', 'fetch_url');

const ruleText = fc.oneof(
  fc.constantFrom(
    '*',
    'pay',
    'fetch_url',
    'run_command',
    'run_command git',
    'run_command git push',
    'run_command git …',
    'run_command rm',
    'run_command ls',
  ),
  fc.constantFrom(
    '',
    'pay now',
    'run_command $(x)',
    'run_command "',
    'no name\u0000',
    'run_command git push',
  ),
  hostileText(),
);
const rules = (effect: fc.Arbitrary<ToolRule['effect']>) =>
  fc
    .tuple(effect, ruleText, fc.constantFrom('user', 'project'))
    .map(([kind, text, from]) => readRule(kind, text, from));
const anyRule = rules(fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const));

/** How much is allowed without a person: 0 nothing, ever; 1 what a person says; 2 everything. */
function freedom({ type }: PolicyVerdict): number {
  return { deny: 0, ask: 1, allow: 2 }[type];
}

fuzzTarget('rules', {
  'another rule that denies or asks never allows more, nor a flag what is denied (G35)': {
    runs: 500,
    property: () => {
      const more = rules(fc.constantFrom('deny' as const, 'ask' as const));
      const flags = fc
        .subarray(['*', 'pay', 'run_command'])
        .map((names) => names.map((tool): ToolRule => ({ effect: 'allow', tool, text: tool, from: 'flag' })));
      return fc.property(
        fc.array(anyRule, { maxLength: 6 }),
        more,
        fc.tuple(tools, inputs),
        flags,
        (all, added, [name, input], given) => {
          const before = judgeCall(all, { name, input, payload: { facts: FACTS } });
          const after = judgeCall([...all, added], { name, input, payload: { facts: FACTS } });
          if (before !== undefined)
            expect(STRENGTH[after!.effect]).toBeGreaterThanOrEqual(STRENGTH[before.effect]);
          else expect(after?.effect).not.toBe('allow');
          const call = { name, input, payload: { facts: FACTS } };
          const state = { rules: [] };
          const wasFree = freedom(ruleOn(call, state, { rules: [...all, ...given] }));
          expect(freedom(ruleOn(call, state, { rules: [...all, added, ...given] }))).toBeLessThanOrEqual(
            wasFree,
          );
          if (after?.effect === 'deny')
            expect(ruleOn(call, state, { rules: [...all, added, ...given] }).type).toBe('deny');
          return true;
        },
      );
    },
  },
  'neither their order nor that of their files matters': {
    runs: 300,
    property: () =>
      fc.property(
        fc.array(anyRule, { maxLength: 6 }),
        fc.infiniteStream(fc.nat()),
        tools,
        inputs,
        (all, dice, name, input) => {
          const keyed = all.map((rule) => ({ rule, key: Number(dice.next().value) }));
          const shuffled = keyed.sort((left, right) => left.key - right.key).map(({ rule }) => rule);
          expect(judgeCall(shuffled, { name, input })).toEqual(judgeCall(all, { name, input }));
          return true;
        },
      ),
  },
  'one that cannot be read asks, and never allows': {
    runs: 300,
    property: () =>
      fc.property(hostileText(), tools, inputs, (text, name, input) => {
        const rule = readRule('allow', text, 'user');
        if (rule.problem === undefined) return true;
        expect(judgeCall([rule], { name, input })?.effect).not.toBe('allow');
        expect(ruleOn({ name, input }, { rules: [] }, { rules: [rule] }).type).toBe('ask');
        return true;
      }),
  },
  'what a rule allows by its words holds nothing that a shell would act on (T6, G35)': {
    runs: 500,
    property: () =>
      fc.property(
        command,
        fc.constantFrom('run_command git …', 'run_command ls …', 'run_command git push'),
        (text, allowed) => {
          const rule = readRule('allow', allowed, 'user');
          const verdict = judgeCall([rule], {
            name: 'run_command',
            input: { command: text },
            payload: { facts: FACTS },
          });
          if (verdict?.effect !== 'allow') return true;
          expect(text).not.toMatch(/[;&|`$()<>\\\n\r*?{}~#!]/u);
          expect(text.trim().startsWith(allowed.split(' ')[1]!) || /^['"]/u.test(text.trim())).toBe(true);
          return true;
        },
      ),
  },
});
