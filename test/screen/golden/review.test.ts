// The list of what ran unasked, as a person looks through it at 80 columns and 24 rows. `npx vitest run
// test/screen/golden/review -u` writes it anew: look at the difference before it is committed.
import { describe, expect, test } from 'vitest';

import { listedGroups, reviewText } from '../../../commands/report/session-review.js';
import type { PassedCall, SessionId } from '../../../src/core/index.js';
import { columnsOf, toolRef } from '../../../src/core/index.js';
import { lookThrough } from '../../../src/human/prompt/group-list.js';
import type { ListAnswer } from '../../../src/human/prompt/group-list.js';
import { plainTheme } from '../../../src/render/index.js';
import { KEYS, testTerminal } from '../../human/terminal-harness.js';

const NOW = Date.parse('2026-01-02T03:14:00.000Z');
const MODE = { type: 'rule', rule: 'mode accept-edits', from: '--mode' } as const;
const RULE = { type: 'rule', rule: 'run_command npm test', from: '~/.config/hitl/config.json' } as const;

function call(seq: number, more: Partial<PassedCall>): PassedCall {
  return {
    ...{ seq, startedAt: '2026-01-02T03:04:05.000Z', ref: toolRef(`c${seq}`), attempt: 1, effect: 'once' },
    ...{ tool: 'edit_file', input: {}, passed: { type: 'decided', by: MODE, seq: seq - 1 }, outcome: 'done' },
    ...more,
  };
}

function edit(seq: number, path: string, lines: number): PassedCall {
  const rows = Array.from({ length: lines }, (_, at) => `-old ${at}\n+new ${at}\n`).join('');
  const diff = `--- ${path}\n+++ ${path}\n@@ -1,${lines} +1,${lines} @@\n${rows}`;
  return call(seq, {
    input: { path },
    plan: { facts: { path: `/srv/shop/${path}` }, diff },
    output: { ok: true },
  });
}

const unasked = (tier: 'reading' | 'read-only-command') => ({ type: 'unasked', tier }) as const;
const CALLS: readonly PassedCall[] = [
  ...Array.from({ length: 14 }, (_, at) => edit(10 + at, `src/cart/total-${at}.ts`, at === 0 ? 30 : 2)),
  call(40, { tool: 'run_command', input: { command: 'npm test' }, passed: { type: 'decided', by: RULE, seq: 39 }, outcome: 'failed', error: { message: '2 tests failed' } }),
  call(41, { tool: 'run_command', effect: 'none', input: { command: 'git status' }, passed: unasked('read-only-command') }),
  call(42, { tool: 'read_file', effect: 'none', input: { path: 'README.md' }, passed: unasked('reading') }),
]; // prettier-ignore

const TOOLS = ['edit_file', 'run_command', 'read_file'].map((name) => ({
  ...{
    name,
    description: name,
    inputSchema: {},
    effect: 'once' as const,
    origin: 'built-in',
    restartable: true,
  },
}));
const REVIEW = {
  ...{ session: '01m8f3mbvj18papt' as SessionId, title: 'Fix the total in the cart' },
  ...{ calls: CALLS, seen: 0, notices: [], agent: { agent: { model: 'demo', tools: TOOLS } } },
};
const LOOK = { theme: plainTheme({ ascii: false }), now: NOW, columns: 80 };
const groups = listedGroups(REVIEW, LOOK);

async function walk(
  keys: readonly string[],
  size = { columns: 80, rows: 24 },
): Promise<{ readonly screens: readonly string[]; readonly answer: ListAnswer | undefined | 'open' }> {
  const terminal = testTerminal(size);
  const { device, clock, theme } = terminal;
  const stop = new AbortController();
  let answer: ListAnswer | undefined | 'open' = 'open';
  const over = lookThrough({ device, clock, theme }, groups, stop.signal).then(
    (given) => {
      answer = given;
    },
    () => undefined,
  );
  await terminal.settle();
  const screens = [await terminal.screen()];
  for (const key of keys) {
    await terminal.press(key);
    screens.push(await terminal.screen());
  }
  const found = answer;
  stop.abort(new Error('over'));
  await over;
  return { screens, answer: found };
}

describe('the list of what ran unasked', () => {
  test('is printed at 80 columns by groups, by calls, and with plans', async () => {
    const one = { ...REVIEW, calls: CALLS.slice(12) };
    const shown = [
      reviewText(REVIEW, LOOK, 'groups'),
      reviewText(one, LOOK, 'calls'),
      reviewText(one, LOOK, 'plans'),
    ];
    expect(shown.flatMap((text) => text.split('\n')).filter((line) => columnsOf(line) > 80)).toEqual([]);
    await expect(shown.join('\n===\n')).toMatchFileSnapshot('screens/review-printed.txt');
  });

  test('opens groups and details in place, within the screen', async () => {
    const steps = [
      KEYS.enter,
      KEYS.down,
      'd',
      KEYS.down,
      'd',
      ...Array.from({ length: 15 }, () => KEYS.down),
    ];
    const { screens } = await walk(steps);
    const shown = [0, 1, 3, 4, 20].map((at) => `=== after ${at} keys\n${screens[at] ?? ''}\n`).join('\n');
    expect(shown.split('\n').filter((line) => columnsOf(line) > 80)).toEqual([]);
    expect(screens.filter((screen) => screen.split('\n').length > 24)).toEqual([]);
    await expect(shown).toMatchFileSnapshot('screens/review.txt');
  });

  test.for([
    [['q'], undefined],
    [[KEYS.escape], undefined],
    [['k'], { type: 'seen' }],
    [[KEYS.down, 'r'], { type: 'rule', group: 1, row: 0, place: { line: 1, open: new Set() } }],
    [
      [KEYS.enter, KEYS.down, KEYS.down, 'r'],
      { type: 'rule', group: 0, row: 1, place: { line: 2, open: new Set([0]) } },
    ],
    [[KEYS.down, 't'], { type: 'tell', group: 1, row: 0, place: { line: 1, open: new Set() } }],
    [['x', KEYS.enter, 'd', 'k'], 'open'],
    [['d', 'q'], undefined],
  ] as const)('ends after %j with %j', async ([keys, answer]) => {
    expect((await walk(keys)).answer).toEqual(answer);
  });

  test('fits a low and narrow screen', async () => {
    const { screens } = await walk([KEYS.enter, ...Array.from({ length: 10 }, () => KEYS.down), 'd'], {
      columns: 40,
      rows: 12,
    });
    for (const screen of screens) {
      expect(screen.split('\n').length).toBeLessThanOrEqual(12);
      expect(screen).toContain('q leave');
    }
  });
});
