import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue, RuleEffect, ToolRule } from '../../../src/core/index.js';
import {
  judgeCall,
  nearlyAllowed,
  NOBODY,
  NOT_BY_WORDS,
  readRule,
  ruleText,
} from '../../../src/core/index.js';

const rule = (text: string): ToolRule => {
  const [effect = '', ...rest] = text.split(' ');
  return readRule(effect as RuleEffect, rest.join(' '), 'f');
};

const judged = (rules: readonly ToolRule[], name: string, input: JsonValue, facts: JsonObject = {}) =>
  judgeCall(rules, { name, input, payload: { facts } });

/** What the built-in tool shows of a command that its words tell of. */
const FACTS = { 'working directory': '/work', program: '/usr/bin/git' };
const ELSEWHERE = { ...FACTS, [NOT_BY_WORDS]: 'do not count: it runs elsewhere' };

function verdict(input: JsonValue, ...texts: readonly string[]): string {
  return judged(texts.map(rule), 'run_command', input, FACTS)?.effect ?? 'none';
}

const shell = (command: string): JsonValue => ({ command });
const argv = (...words: readonly string[]): JsonValue => ({ argv: words });

describe('a rule about a tool', () => {
  test('is for that tool, or for every one', () => {
    const rules = [rule('deny fetch_url'), rule('ask *')];
    expect(judged(rules, 'fetch_url', {})).toMatchObject({ effect: 'deny' });
    expect(judged(rules, 'fetch_url2', {})).toMatchObject({ effect: 'ask' });
    expect(judged([rule('deny fetch_url')], 'fetch', {})).toBeUndefined();
  });

  test.for([
    ['deny transfer money', 'transfer'],
    ['deny run_command rm $HOME', 'run_command'],
    ['deny run_command "rm', 'run_command'],
    ['deny not/a/name', '*'],
    ['deny ', '*'],
    ['allow *', '*'],
    ['deny * rm', '*'],
  ] as const)('G35 that cannot be read leaves its tool in doubt: %s', ([text, tool]) => {
    const read = rule(text);
    expect(read).toMatchObject({ tool, problem: expect.any(String) as string });
    const call = tool === '*' ? 'anything' : tool;
    expect(judged([read], call, {})?.effect).toBe('doubt');
  });
});

describe('a rule about a command', () => {
  test.for<readonly [string, JsonValue, string]>([
    ['deny run_command rm', argv('rm', '-rf', 'build'), 'deny'],
    ['deny run_command rm', argv('/bin/rm', 'x'), 'deny'],
    ['deny run_command rm', shell('rm -rf build'), 'deny'],
    ['deny run_command rm', shell('\'r\'"m" x'), 'deny'],
    ['deny run_command rm -rf', argv('rm', '-r', '-f'), 'none'],
    ['deny run_command rm', argv('rmdir', 'rm'), 'none'],
    ['deny run_command rm', argv('echo', 'rm'), 'none'],
    ['deny run_command rm', shell('ls; rm x'), 'doubt'],
    ['deny run_command rm', shell('ls\nrm x'), 'doubt'],
    ['deny run_command rm', shell('A=1 rm x'), 'doubt'],
    ['deny run_command rm', shell('$(echo rm) x'), 'doubt'],
    ['deny run_command rm', argv('sh', '-c', 'rm x'), 'doubt'],
    ['deny run_command rm', argv('/usr/bin/env', 'rm'), 'doubt'],
    ['deny run_command rm', {}, 'doubt'],
    ['ask run_command rm', shell('ls; rm x'), 'ask'],
    ['allow run_command git status', argv('git', 'status'), 'allow'],
    ['allow run_command git status', argv('git', 'status', '-s'), 'none'],
    ['allow run_command git status …', argv('git', 'status', '-s'), 'allow'],
    ['allow run_command git status *', argv('git', 'status', '-s'), 'allow'],
    ['allow run_command git status ...', argv('git', 'status'), 'allow'],
    ['allow run_command git status …', argv('git', 'stash'), 'none'],
    ['deny run_command rm …', argv('rm', '-rf', 'build'), 'deny'],
    ['deny run_command rm', argv('ls', '-l'), 'none'],
    ['deny run_command rm', argv('/usr/bin/ls', '-l'), 'none'],
    ['deny run_command rm', argv('./ls', '-l'), 'doubt'],
    ['deny run_command rm', argv('git', 'status'), 'none'],
    ['deny run_command rm', argv('find', '.', '-name', 'x'), 'none'],
    ['deny run_command rm', argv('sort', 'x'), 'none'],
    ['deny run_command rm', argv('sort', '--comp=rm', 'x'), 'doubt'],
    ['allow run_command git status', shell('git  status'), 'allow'],
    ['allow run_command git status', argv('git'), 'none'],
    ['allow run_command git status', argv('git status'), 'none'],
    ['allow run_command git status', argv('./git', 'status'), 'none'],
    ['allow run_command git status', shell('git status; rm x'), 'none'],
    ['allow run_command git status', shell('git status > x'), 'none'],
    ['allow run_command git status', shell('git status\nrm x'), 'none'],
    ['allow run_command git status', { argv: ['git', 'status'], network: true }, 'none'],
    ['allow run_command git status', { argv: ['git', 'status'], network: false }, 'allow'],
    ['deny run_command git push', { argv: ['git', 'push'], network: true }, 'deny'],
  ])('%s on %j: %s', ([text, input, expected]) => {
    expect(verdict(input, text)).toBe(expected);
  });

  test.for(
    [
      'setpriv rm x',
      'npx rm x',
      'npm exec rm x',
      'make clean',
      'git -c alias.x=!rm x',
      'git x',
      'git push',
      'tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=rm x',
      'awk x',
      'sed x',
      'find . -exec rm x',
      'find . -delete',
      'xargs rm',
      'env rm x',
      'flock x rm x',
      'taskset 1 rm x',
      'chrt -o 0 rm x',
      'prlimit rm x',
      'strace rm x',
      'systemd-run rm x',
      'pkexec rm x',
      'docker run x',
      'ssh host rm x',
      'go run x.go',
      'python3 x.py',
      'perl x',
      'node x.js',
      'busybox rm x',
      'RM x',
    ].map((text) => text.split(' ')),
  )('M12 that denies `rm` is in doubt about a program that may run it: %j', (words) => {
    expect(verdict(argv(...words), 'deny run_command rm')).toBe('doubt');
  });

  test('allows nothing where the plan is another one than the words, or nobody says what it is', () => {
    const rules = [rule('allow run_command git status')];
    const call = argv('git', 'status');
    expect([FACTS, ELSEWHERE, {}].map((facts) => judged(rules, 'run_command', call, facts)?.effect)).toEqual([
      'allow',
      undefined,
      undefined,
    ]);
    expect(judged([rule('deny run_command rm')], 'run_command', argv('ls'), ELSEWHERE)?.effect).toBe('doubt');
  });

  test.for([
    [argv('git', 'status', '-s'), FACTS, '`…` behind it'],
    [{ argv: ['git', 'status'], network: true }, FACTS, 'asks for the network'],
    [argv('git', 'status'), ELSEWHERE, 'it runs elsewhere'],
    [argv('git', 'status'), {}, 'does not say where it runs'],
    [argv('git', 'status'), FACTS, undefined],
    [argv('git', 'push'), FACTS, undefined],
  ] as const)('that nearly allows %j with %j says why it does not: %s', ([call, facts, why]) => {
    const said = nearlyAllowed([rule('allow run_command git status')], {
      name: 'run_command',
      input: call,
      payload: { facts },
    });
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(why);
  });

  test.for(['run_command …', 'run_command git … status'])(
    'cannot be read where it names no program: %s',
    (text) => {
      expect(rule(`allow ${text}`).problem).toEqual(expect.any(String));
    },
  );

  test('is written so that it reads the same again', () => {
    const words = ['git', 'commit', '-m', 'two words', "it's"];
    const read = (given: readonly string[]) => readRule('deny', ruleText('run_command', given), 'f').scope;
    expect(read(words)).toEqual({ type: 'words', words, further: false });
    expect(read([...words, '*'])).toEqual({ type: 'words', words, further: true });
  });
});

const WORDS = ['rm', 'git', 'push', '-rf', 'sh', '/bin/rm', 'a b', ';', '$x'];
const texts = fc.oneof(
  fc.constantFrom('run_command', 'fetch_url', '*', 'run_command rm', 'run_command git push', 'no;name', ''),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => ruleText('run_command', words)),
);
const people = fc.constantFrom('', '', ' needs 2', ' needs 1 of ann, @ops', ' needs 2 of @ops', ' needs x');
const rules = fc
  .tuple(fc.constantFrom<RuleEffect>('allow', 'ask', 'deny'), texts, fc.constantFrom('a', 'b'), people)
  .map(([effect, text, from, whose]) => readRule(effect, text + (effect === 'ask' ? whose : ''), from));
const inputs = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words): JsonValue => ({ argv: words })),
  fc
    .array(fc.constantFrom(...WORDS), { maxLength: 4 })
    .map((words): JsonValue => ({ command: words.join(' ') })),
);
const tools = fc.constantFrom('run_command', 'fetch_url', 'other');
/** How much is allowed: without a rule, the tool decides for itself. */
const FREEDOM = { deny: 0, doubt: 1, ask: 2, none: 3, allow: 4 } as const;
const freedom = (of: readonly ToolRule[], tool: string, input: JsonValue): number =>
  FREEDOM[judged(of, tool, input, FACTS)?.effect ?? 'none'];

describe('a rule that says whose word a call takes', () => {
  const asked = (...texts: readonly string[]) => {
    const { effect, approvers } = judged(texts.map(rule), 'pay', {}) ?? {};
    return [effect, approvers];
  };

  test('is joined with every other one that asks about the call, and only with those', () => {
    expect(asked('ask pay needs 2 of @ops', 'ask other needs 3')).toEqual([
      'ask',
      { need: 2, from: ['@ops'] },
    ]);
    expect(asked('ask pay needs 2', 'ask * needs 1, not whoever asked', 'allow pay')).toEqual([
      'ask',
      { need: 2, notRequester: true },
    ]);
    expect(asked('ask pay needs 2 of @ops', 'ask pay needs 1 of @leads')).toEqual(['ask', NOBODY]);
  });

  test('G35 lets nobody agree where its people cannot be read, and asks about the tool', () => {
    expect(asked('ask pay needs two')).toEqual(['doubt', NOBODY]);
    expect(rule('ask pay needs two').problem).toContain('people are written as');
  });

  test.for(['allow', 'deny'] as const)('G35 only asks: %s with people cannot be read', (effect) => {
    expect(rule(`${effect} pay needs 2`).problem).toContain('only a rule that asks');
    expect(asked(`${effect} pay needs 2`)).toEqual(['doubt', { need: 2 }]);
  });

  test('is written word by word, as a shell gives it', () => {
    const words = ['git', 'push', 'needs', '2', 'of', '@ops,', 'not', 'whoever', 'asked'];
    expect(readRule('ask', ruleText('run_command', words), 'f')).toMatchObject({
      scope: { words: ['git', 'push'] },
      approvers: { need: 2, from: ['@ops'], notRequester: true },
    });
  });
});

describe('rules together', () => {
  test('do not depend on their order, nor on that of their files', () => {
    fc.assert(
      fc.property(fc.array(rules), tools, inputs, fc.nat(), (all, tool, input, turn) => {
        const at = all.length === 0 ? 0 : turn % all.length;
        const turned = [...all.slice(at), ...all.slice(0, at)].reverse();
        expect(judged(turned, tool, input)).toEqual(judged(all, tool, input));
      }),
    );
  });

  test('allow no more with another rule that denies or asks', () => {
    fc.assert(
      fc.property(fc.array(rules), rules, tools, inputs, (all, more, tool, input) => {
        fc.pre(more.effect !== 'allow');
        expect(freedom([...all, more], tool, input)).toBeLessThanOrEqual(freedom(all, tool, input));
      }),
    );
  });
});
