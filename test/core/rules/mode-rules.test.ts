import { describe, expect, test } from 'vitest';

import type { JsonObject, SessionMode, ToolDescriptor } from '../../../src/core/index.js';
import {
  concerns,
  judgeCall,
  modeInWords,
  modeRules,
  nearlyAllowed,
  NOT_BY_PATTERN,
  readRule,
  ruleInWords,
  SESSION_MODES,
} from '../../../src/core/index.js';

const SHOP = '/home/ann/shop';
const PLACE = { folder: SHOP, home: '/home/ann' };
const KEYS = { [NOT_BY_PATTERN]: 'ignored: files like this often contain keys' };

const tool = (name: string, effect: ToolDescriptor['effect']): ToolDescriptor => ({
  name,
  description: '',
  inputSchema: {},
  effect,
  origin: 'built in',
  restartable: true,
});

const rulesOf = (mode: SessionMode, place = PLACE) => modeRules(mode, place, 'this session');

function verdict(mode: SessionMode, name: string, facts: JsonObject, place = PLACE): string {
  const call = { name, input: {}, payload: { facts }, tool: tool(name, 'once') };
  return judgeCall(rulesOf(mode, place), call)?.effect ?? 'none';
}

describe('the mode read-only', () => {
  test.for(['once', 'idempotent'] as const)('denies every tool whose effect is %s', (effect) => {
    const judged = judgeCall(rulesOf('read-only'), { name: 'act', input: {}, tool: tool('act', effect) });
    expect(judged?.effect).toBe('deny');
    expect(judged && ruleInWords(judged.rule)).toBe('denies every call that is not read-only');
  });

  test('says nothing of a tool without an effect', () => {
    const call = { name: 'look', input: {}, tool: tool('look', 'none') };
    expect(judgeCall(rulesOf('read-only'), call)).toBeUndefined();
  });

  test('denies a tool that nobody knows, for it may do anything', () => {
    expect(judgeCall(rulesOf('read-only'), { name: 'gone', input: {} })?.effect).toBe('deny');
  });

  test('is stronger than every rule that allows', () => {
    const call = { name: 'pay', input: {}, tool: tool('pay', 'once') };
    const all = [readRule('allow', 'pay', 'f'), ...rulesOf('read-only'), readRule('allow', 'pay {}', 'f')];
    expect(judgeCall(all, call)).toMatchObject({ effect: 'deny', rule: { text: 'mode read-only' } });
  });

  test('concerns tools with an effect alone', () => {
    const [rule] = rulesOf('read-only');
    expect(rule && [concerns(rule, tool('a', 'once')), concerns(rule, tool('a', 'none'))]).toEqual([
      true,
      false,
    ]);
  });
});

describe('the mode accept-edits', () => {
  test.for<readonly [string, JsonObject, string]>([
    ['write_file', { path: `${SHOP}/src/a.js` }, 'allow'],
    ['edit_file', { path: `${SHOP}/a` }, 'allow'],
    ['edit_file', { path: '/home/ann/shopping/a' }, 'none'],
    ['edit_file', { path: '/home/ann/a' }, 'none'],
    ['write_file', { path: `${SHOP}/.env`, ...KEYS }, 'none'],
    ['write_file', {}, 'none'],
    ['run_command', { path: `${SHOP}/a` }, 'none'],
    ['fetch_url', { path: `${SHOP}/a` }, 'none'],
  ])('%s with %j: %s', ([name, facts, expected]) => {
    expect(verdict('accept-edits', name, facts)).toBe(expected);
  });

  test.for<readonly [string, string, string]>([
    ['/', '/home/ann', 'the file system root'],
    ['/home/ann', '/home/ann', 'your home folder'],
    ['/home', '/home/ann', 'a folder above your home folder'],
  ])('allows nothing in %s of somebody at home in %s', ([folder, home, why]) => {
    const place = { folder, home };
    const facts = { path: '/home/ann/a' };
    expect(verdict('accept-edits', 'write_file', facts, place)).toBe('none');
    expect(
      nearlyAllowed(rulesOf('accept-edits', place), {
        name: 'write_file',
        input: {},
        payload: { facts },
      }),
    ).toBe(`the rule \`mode accept-edits\` (this session) is ignored: this is ${why}`);
    expect(modeInWords('accept-edits', place)).toBe(
      `mode accept-edits: does not allow anything, because this is ${why}`,
    );
  });

  test.for(['deny', 'ask'] as const)('is weaker than a rule that says %s', (effect) => {
    const call = { name: 'write_file', input: {}, payload: { facts: { path: `${SHOP}/src/a` } } };
    const all = [...rulesOf('accept-edits'), readRule(effect, 'write_file src/**', 'f', PLACE)];
    expect(judgeCall(all, call)?.effect).toBe(effect);
  });

  test('says why it does not count for a file that often contains keys', () => {
    const call = { name: 'write_file', input: {}, payload: { facts: { path: `${SHOP}/.env`, ...KEYS } } };
    expect(nearlyAllowed(rulesOf('accept-edits'), call)).toBe(
      'the rule `mode accept-edits` (this session) is ignored (rules with patterns ignored: files like this often contain keys)',
    );
  });
});

describe('the mode auto', () => {
  const SANDBOXED = { sandbox: 'can write in a copy of this folder, no network' };

  test.for<readonly [string, JsonObject, string]>([
    ['write_file', { path: `${SHOP}/src/a.js` }, 'allow'],
    ['edit_file', { path: '/home/ann/a' }, 'none'],
    ['write_file', { path: `${SHOP}/.env`, ...KEYS }, 'none'],
    ['run_command', { ...SANDBOXED, 'working directory': SHOP }, 'allow'],
    ['run_command', { ...SANDBOXED, 'working directory': `${SHOP}/src` }, 'allow'],
    ['run_command', { ...SANDBOXED, 'working directory': '/home/ann/other' }, 'none'],
    ['run_command', { sandbox: 'can write in this folder, no network', 'working directory': SHOP }, 'none'],
    ['run_command', { sandbox: 'none', 'working directory': SHOP }, 'none'],
    ['run_command', SANDBOXED, 'none'],
    ['my_command', { ...SANDBOXED, 'working directory': SHOP }, 'none'],
    ['fetch_url', { host: 'example.org' }, 'none'],
  ])('%s with %j: %s', ([name, facts, expected]) => {
    expect(verdict('auto', name, facts)).toBe(expected);
  });

  test.for(['deny', 'ask'] as const)('is weaker than a rule that says %s', (effect) => {
    const facts = { ...SANDBOXED, 'working directory': SHOP };
    const call = { name: 'run_command', input: { argv: ['make'] }, payload: { facts } };
    expect(judgeCall([...rulesOf('auto'), readRule(effect, 'run_command', 'f', PLACE)], call)?.effect).toBe(
      effect,
    );
  });

  test('allows nothing in the home folder', () => {
    const facts = { ...SANDBOXED, 'working directory': '/home/ann' };
    expect(verdict('auto', 'run_command', facts, { folder: '/home/ann', home: '/home/ann' })).toBe('none');
  });
});

test('the mode ask has no rule, and every mode says what it means', () => {
  expect(rulesOf('ask')).toEqual([]);
  expect(SESSION_MODES.map((mode) => modeInWords(mode, PLACE))).toEqual([
    'mode read-only: denies anything that changes or sends something',
    'mode ask: asks before changing or sending anything',
    'mode accept-edits: changes files here without asking; shows each change',
    'mode auto: changes files here without asking, also through commands run in a copy; shows each change',
  ]);
});
