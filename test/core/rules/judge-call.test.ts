import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue, RuleEffect, ToolRule } from '../../../src/core/index.js';
import {
  alwaysStronger,
  judgeCall,
  misnamedTools,
  rulesOfNoServer,
  nearlyAllowed,
  NEEDS_A_LOOK,
  NOBODY,
  NOT_BY_WORDS,
  readRule,
  ruleText,
  sessionScope,
} from '../../../src/core/index.js';

const rule = (text: string): ToolRule => {
  const [effect = '', ...rest] = text.split(' ');
  return readRule(effect as RuleEffect, rest.join(' '), 'f');
};

const judged = (rules: readonly ToolRule[], name: string, input: JsonValue, facts: JsonObject = {}) =>
  judgeCall(rules, { name, input, payload: { facts } });

/** What the built-in tool shows of a command that its words tell of. */
const FACTS = { 'working directory': '/work', program: '/usr/bin/git' };
const ELSEWHERE = { ...FACTS, [NOT_BY_WORDS]: 'ignored: it runs elsewhere' };

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
    ['deny run_command rm -rf', argv('rm', '-r', '-f'), 'doubt'],
    ['deny run_command rm', argv('rmdir', 'rm'), 'doubt'],
    ['deny run_command rm', argv('echo', 'rm'), 'doubt'],
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
    ['deny run_command rm', argv('ls', '-l'), 'doubt'],
    ['deny run_command rm', argv('/usr/bin/ls', '-l'), 'doubt'],
    ['deny run_command rm', argv('./ls', '-l'), 'doubt'],
    ['deny run_command rm', argv('git', 'status'), 'doubt'],
    ['deny run_command rm', argv('find', '.', '-name', 'x'), 'doubt'],
    ['deny run_command rm', argv('sort', 'x'), 'doubt'],
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
    [argv('git', 'status', '-s'), FACTS, 'end it with `…`'],
    [{ argv: ['git', 'status'], network: true }, FACTS, 'asks for network access'],
    [argv('git', 'status'), ELSEWHERE, 'it runs elsewhere'],
    [argv('git', 'status'), {}, 'does not specify where it runs'],
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

  test.for<readonly [string, readonly string[], string, string]>([
    ['allow run_command cat …', ['cat', '../x'], '../x', 'none'],
    ['allow run_command cat …', ['cat', 'a'], '../x', 'allow'],
    ['allow run_command cat …', ['cat', 'a', '.env'], '.env', 'none'],
    ['allow run_command cat …', ['cat', 'a', "it's"], `"it's"`, 'none'],
    ['allow run_command git commit …', ['git', 'commit', '-m', 'fix: two words, and #12'], '', 'allow'],
    ['allow run_command git commit …', ['git', 'commit', '-m', "don't"], '', 'none'],
    ['allow run_command perl …', ['perl', '-e', 'print <.{e}nv>'], '', 'none'],
    ['allow run_command sed …', ['sed', 's/\\x2e/y/'], '', 'none'],
    ["allow run_command sed 's/a b/c/' …", ['sed', 's/a b/c/', 'a'], '', 'allow'],
    ['allow run_command cat ../x', ['cat', '../x'], '../x', 'allow'],
    ['allow run_command cat ../x …', ['cat', '../x', 'a'], '../x', 'allow'],
    ['allow run_command cat ../x …', ['cat', '../x', '/y'], '../x /y', 'none'],
    ['deny run_command cat', ['cat', '../x'], '../x', 'deny'],
    ['allow run_command', ['cat', '../x'], '../x', 'allow'],
  ])(
    'allows an argument that leads out, or to keys, only by its own words: %s on %j with %s is %s (adopter 4)',
    ([text, words, listed, expected]) => {
      const facts = { ...FACTS, [NEEDS_A_LOOK]: listed };
      expect(judged([rule(text)], 'run_command', argv(...words), facts)?.effect ?? 'none').toBe(expected);
    },
  );

  test('says which argument keeps it from allowing, and offers no such rule (adopter 4)', () => {
    const payload = { facts: { ...FACTS, [NEEDS_A_LOOK]: '../x' } };
    const call = { name: 'run_command', input: argv('cat', 'a', '../x'), payload };
    expect([nearlyAllowed([rule('allow run_command cat …')], call), sessionScope('words', call)]).toEqual([
      'the rule `allow run_command cat …` (f) is ignored: `../x` may lead out of the working folder, or to a file that often contains keys',
      undefined,
    ]);
  });

  test('is written so that it reads the same again', () => {
    const words = ['git', 'commit', '-m', 'two words', "it's", `it's "this" $x`];
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
const FREEDOM = { deny: 0, doubt: 1, ask: 2, review: 3, none: 4, allow: 5 } as const;
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
    expect(rule('ask pay needs two').problem).toContain('write approvers as');
  });

  test.for(['allow', 'deny'] as const)('G35 only asks: %s with people cannot be read', (effect) => {
    expect(rule(`${effect} pay needs 2`).problem).toContain('only a rule that asks');
    expect(asked(`${effect} pay needs 2`)).toEqual(['doubt', { need: 2 }]);
  });

  test.for([
    "run_command git push 'needs 2 of @ops, not whoever asked'",
    "run_command git push 'needs' 2 of @ops",
    'run_command git push Needs 2 of @ops',
    'run_command git push nееds 2 of @ops',
    'run_command git push 2 of @ops',
    'run_command git push, not whoever asked',
    "write_file deploy/x 'needs 1 of ann'",
    `pay {"to":"ann"} 'needs 2 of @ops'`,
    "mcp:files/* 'needs 2 of @ops'",
    'pay needs 2 of @ops, whoever asked',
    'pay needs 2 of @ops @leads',
    'pay needs 2 of @ops, not',
  ])('whose people would be read as something else is refused, and nobody agrees: %s (adopter 2)', (text) => {
    const read = rule(`ask ${text}`);
    expect({ problem: typeof read.problem, approvers: read.approvers }).toEqual({
      problem: 'string',
      approvers: NOBODY,
    });
    const [, given = []] = /^run_command (.*)$/u.exec(text) ?? [];
    if (given.length > 0)
      expect(judged([read], 'run_command', argv('git', 'push'), FACTS)?.effect).toBe('doubt');
  });

  test.for(['allow pay needs 1', 'deny pay needs 1 people'])(
    'only asks, also where anybody will do: %s (adopter 2)',
    (text) => {
      expect(rule(text).problem).toContain('only a rule that asks');
    },
  );

  test('is quoted as one on the command line, and refused for it (adopter 2)', () => {
    const text = ruleText('run_command', ['git', 'push', 'needs 2 of @ops, not whoever asked']);
    expect(rule(`ask ${text}`).problem).toBe(
      'the part about people is not recognized; write it at the end, without quotes, for example `needs 2 of @ops, not whoever asked`; if these words are part of the command or path, write the whole input as JSON',
    );
  });

  test('is written word by word, as a shell gives it', () => {
    const words = ['git', 'push', 'needs', '2', 'of', '@ops,', 'not', 'whoever', 'asked'];
    expect(readRule('ask', ruleText('run_command', words), 'f')).toMatchObject({
      scope: { words: ['git', 'push'] },
      approvers: { need: 2, from: ['@ops'], notRequester: true },
    });
  });
});

describe('an allow that never counts', () => {
  test.for([
    ['allow run_command git push', 'deny run_command git', 'deny run_command git'],
    ['allow run_command git …', 'deny run_command git push', undefined],
    ['allow run_command git', 'ask *', 'ask *'],
    ['allow run_command', 'ask run_command git', undefined],
    ['allow write_file docs/**', 'deny write_file docs/**', 'deny write_file docs/**'],
    ['allow write_file docs/**', 'deny write_file docs/a*', undefined],
    ['allow write_file docs/*.md', 'deny * ./**', 'deny * ./**'],
    ['allow fetch_url *.example.org', 'deny fetch_url *.example.org', 'deny fetch_url *.example.org'],
    ['allow fetch_url *.example.org', 'deny fetch_url a.example.org', undefined],
    ['allow pay {"to":"ann"}', 'ask pay', 'ask pay'],
    ['allow pay', 'allow pay', undefined],
    ['allow run_command git', 'deny run_command $x', undefined],
  ] as const)('%s beside %s: %s (adopter 2)', ([allow, other, stronger]) => {
    const here = { folder: '/work', home: '/home' };
    const [one, two] = [allow, other].map((text) => {
      const [effect = '', ...rest] = text.split(' ');
      return readRule(effect as RuleEffect, rest.join(' '), 'f', here);
    });
    expect(alwaysStronger(one!, [two!])?.text).toBe(stronger);
  });
});

test('a rule about a tool that is not there is found by the name that was meant (adopter 2)', () => {
  const all = [
    'deny run_comand',
    'deny run_command',
    'ask Pay',
    'deny other_thing',
    'deny mcp__x__*',
    'deny !',
  ].map(rule);
  expect(
    misnamedTools(all, ['run_command', 'pay']).map(({ rule: { text }, meant }) => [text, meant]),
  ).toEqual([
    ['deny run_comand', 'run_command'],
    ['ask Pay', 'pay'],
  ]);
});

describe('the spelling of other agents', () => {
  const tool = {
    name: 'files__del',
    description: '',
    inputSchema: {},
    effect: 'once',
    origin: 'files',
    restartable: false,
    mcp: { server: 'files', tool: 'del', reached: 'x' },
  } as const;
  const own = { ...tool, name: 'mcp__files__own', mcp: undefined };

  test.for(['mcp__files__*', 'mcp__files', 'mcp__files__del', 'mcp:files/*', 'mcp:files/del'])(
    'deny %s denies a tool of that server',
    (text) => {
      expect(judgeCall([rule(`deny ${text}`)], { name: 'files__del', input: {}, tool })?.effect).toBe('deny');
    },
  );

  test('means a tool of a module that is named so, too, and no tool of another server', () => {
    const effect = (text: string, call: Parameters<typeof judgeCall>[1]) =>
      judgeCall([rule(text)], call)?.effect;
    expect([
      effect('deny mcp__files__*', { name: 'mcp__files__own', input: {}, tool: own as never }),
      effect('deny mcp__other__*', { name: 'files__del', input: {}, tool }),
    ]).toEqual(['deny', undefined]);
  });

  test.for(['mcp__*', 'mcp__fi*', 'mcp__files__d*'])(
    '%s is refused: a star stands for all tools of a server',
    (text) => {
      expect(rule(`deny ${text}`).problem).toBeDefined();
    },
  );

  test('a rule for a server that is not configured is found, with the name that was meant', () => {
    const all = ['deny mcp:Files/*', 'deny mcp__files__*', 'allow mcp:shop/*', 'deny mcp__mod__x'].map(rule);
    expect(
      rulesOfNoServer(all, ['files'], ['mcp__mod__x']).map(({ rule: { text }, why }) => [text, why]),
    ).toEqual([
      ['deny mcp:Files/*', 'no server `Files` is configured; did you mean `files`?'],
      ['allow mcp:shop/*', 'no server `shop` is configured'],
    ]);
  });

  test('a pattern in another case is found by the one that was meant', () => {
    expect(misnamedTools([rule('deny Files__*')], ['files__del']).map(({ meant }) => meant)).toEqual([
      'files__*',
    ]);
  });
});

describe('the reason of a verdict', () => {
  const PUSH = 'asks about commands that start with `git push`';

  test.for<readonly [JsonValue, string]>([
    [shell('git push origin'), PUSH],
    [shell('git log --oneline'), `${PUSH}, and this may match, because \`git log\` may run another program`],
    [
      shell('ls > x'),
      `${PUSH}, and this may match, because the command is too complex to check: it contains a redirect`,
    ],
    [
      shell('ls | head'),
      `${PUSH}, and this may match, because the command is too complex to check: it contains a second command`,
    ],
    [argv('make', 'all'), `${PUSH}, and this may match, because \`make\` may run another program`],
  ])('is why the rule decides about %j (adopter 17)', ([call, says]) => {
    const { effect, says: said } =
      judged([rule('ask run_command git push')], 'run_command', call, FACTS) ?? {};
    expect([effect, said]).toEqual(['ask', says]);
  });

  test('is that of the rule that is surely about the call, before one that may be (adopter 17)', () => {
    const all = [rule('ask run_command a'), rule('ask run_command git log')];
    const { rule: decided, says } = judged(all, 'run_command', argv('git', 'log'), FACTS) ?? {};
    expect([decided?.text, says]).toEqual([
      'ask run_command git log',
      'asks about commands that start with `git log`',
    ]);
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

describe('the time of an approval', () => {
  test.for([
    [['ask pay lasts 15m'], '15m'],
    [['ask pay lasts 15m', 'ask pay lasts 5m', 'ask pay needs 2, lasts 1h'], '5m'],
    [['allow pay', 'ask * lasts 1d'], '1d'],
    [['ask other lasts 1m', 'ask pay'], undefined],
  ] as const)('is the shortest that rules about the call say: %j', ([texts, lasts]) => {
    expect(judged(texts.map(rule), 'pay', {})?.approvalLasts).toBe(lasts);
  });

  test('is said only where a rule asks, and what nobody can read is in doubt', () => {
    expect(judged([rule('allow pay lasts 15m')], 'pay', {})?.effect).toBe('doubt');
    expect(judged([rule('ask pay lasts long')], 'pay', {})?.effect).toBe('doubt');
    expect(rule('ask pay lasts 15')).toMatchObject({
      problem: '`lasts 15`: write the unit: 15s, 15m or 15h',
    });
    expect(rule('allow pay lasts 15m').problem).toMatch(/^only a rule that asks says/u);
  });

  test('is written behind the words of a command as a shell gives them', () => {
    expect(ruleText('run_command', ['git', 'push', 'lasts', '15m'])).toBe('run_command git push lasts 15m');
    expect(ruleText('run_command', ['git', 'push', 'needs', '2,', 'lasts', '15m'])).toBe(
      'run_command git push needs 2, lasts 15m',
    );
    expect(ruleText('run_command', ['echo', 'lasts', 'for', 'ever'])).toBe(
      "run_command echo 'lasts' for ever",
    );
  });
});

describe('an allow with words (A5)', () => {
  const place = { folder: '/project', home: '/home/me' };
  const allow = readRule('allow', 'run_command git status', 'here', place);
  const verdictIn = (folder: string, more: object = {}) =>
    judgeCall([allow], {
      name: 'run_command',
      input: { argv: ['git', 'status'] },
      payload: { facts: { 'working directory': folder, ...more } },
    })?.effect;

  test('holds in its folder, and in none below it', () => {
    expect([verdictIn('/project'), verdictIn('/project/docs'), verdictIn('/other')]).toEqual([
      'allow',
      undefined,
      undefined,
    ]);
  });

  test('does not hold where git may run another program', () => {
    expect(
      verdictIn('/project', { 'rules with words': 'ignored: git may run another program' }),
    ).toBeUndefined();
  });
});
