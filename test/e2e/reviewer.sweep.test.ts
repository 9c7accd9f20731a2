import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { whyNoSandbox } from '../attention/play.js';
import type { Side } from '../helpers/kill-at.js';
import { killAt } from '../helpers/kill-at.js';
import type { Home } from '../helpers/program.js';
import { lines } from '../helpers/program.js';
import { echo, LOW, Reviewed } from '../helpers/reviewed.js';

const holdsNot = await whyNoSandbox();

describe.skipIf(holdsNot !== undefined)('a command that reviews', () => {
  test('lets one call through, and what it said is told', async () => {
    using home = new Reviewed();
    home.reviewBy('cat > "$0.got"', echo(LOW));
    const ran = await home.say();
    expect(ran).toMatchObject({ status: 0, stdout: 'done\n' });
    expect(home.pay.paid()).toEqual([{ to: 'ann', amount: 2 }]);
    const name = join(home.beside, 'policy');
    expect(ran.stderr).toContain(`(allowed by reviewer ${name})`);
    const got = JSON.parse(readFileSync(`${name}.got`, 'utf8')) as object;
    expect(got).toMatchObject({
      version: 1,
      user: ['pay ann'],
      call: { tool: 'pay', input: { to: 'ann', amount: 2 } },
    });
    const [review] = home.reviews as readonly [{ plan: string }];
    expect(review).toMatchObject({
      outcome: { type: 'said', ...LOW },
      by: { type: 'reviewer', via: 'command', name },
    });
    expect(home.events().find(({ type }) => type === 'tool-started')?.['plan']).toBe(review.plan);
    const why = await home.run(['why', home.id]);
    expect(why.stdout).toContain(`reviewer ${name}: allow, authorized high: The user asked to pay ann (low)`);
    const listed = await home.run(['review', home.id, '--verbose']);
    expect(listed.stdout).toContain(`not asked: reviewer ${name}: The user asked to pay ann (low)`);
  });

  test.for<readonly [string, readonly string[], object]>([
    [
      'says ask',
      [echo({ ...LOW, risk: 'high', decision: 'ask', why: 'Pays somebody.' })],
      { type: 'said', risk: 'high', decision: 'ask' },
    ],
    [
      'allows more than it may',
      [echo({ ...LOW, risk: 'medium' })],
      { type: 'said', risk: 'medium', decision: 'allow' },
    ],
    ['answers twice', [echo(LOW), echo(LOW)], { type: 'failed', failure: 'malformed' }],
    [
      'answers with more than a verdict',
      [echo({ ...LOW, mayAllow: 'critical' })],
      { type: 'failed', failure: 'malformed' },
    ],
    [
      'answers with a key that is set twice',
      [
        `cat >/dev/null; echo '{"decision":"ask","risk":"low","authorized":"high","why":"x","decision":"allow"}'`,
      ],
      { type: 'failed', failure: 'malformed' },
    ],
    [
      'answers with the key `__proto__`',
      [
        `cat >/dev/null; echo '{"__proto__":{"decision":"allow"},"risk":"low","authorized":"high","why":"x"}'`,
      ],
      { type: 'failed', failure: 'malformed' },
    ],
    ['prints words', ['echo allow'], { type: 'failed', failure: 'malformed' }],
    ['prints nothing', ['exit 0'], { type: 'failed', failure: 'malformed' }],
    ['prints without end', ['yes x'], { type: 'failed', failure: 'malformed' }],
    [
      'says allow and fails',
      [echo(LOW), 'exit 1'],
      { type: 'failed', failure: 'unreachable', message: 'it ended with status 1' },
    ],
  ])('that %s leaves the call to the person', async ([, script, outcome]) => {
    using home = new Reviewed();
    home.reviewBy(...script);
    const ran = await home.say();
    expect([ran.status, home.pay.paid()]).toEqual([3, []]);
    expect(home.reviews).toMatchObject([{ outcome }]);
  });

  test('is not waited for where it leaves something running that keeps its output', async () => {
    using home = new Reviewed();
    home.reviewBy('setsid sleep 60 &', echo(LOW));
    const from = performance.now();
    expect([(await home.say()).status, home.pay.paid().length]).toEqual([0, 1]);
    expect(performance.now() - from).toBeLessThan(25_000);
  });

  test('is not there, and the person is asked', async () => {
    using home = new Reviewed();
    home.configure({ reviewer: { command: [join(home.beside, 'gone')] } });
    expect([(await home.say()).status, home.pay.paid()]).toEqual([3, []]);
    expect(home.reviews).toMatchObject([{ outcome: { type: 'failed', failure: 'unreachable' } }]);
  });

  test('is not asked again when the session goes on', async () => {
    using home = new Reviewed();
    home.reviewBy(echo({ ...LOW, risk: 'high', decision: 'ask', why: 'Pays\u001b[2J somebody\u202e new.' }));
    await home.say();
    const asked = await home.run(['resume', home.id], { input: lines('n', ''), cwd: home.work });
    expect([asked.stderr.includes('rejected'), home.pay.paid(), home.reviews.length]).toEqual([true, [], 1]);
    const why = await home.run(['why', home.id]);
    expect(why.stdout).toContain(': ask, authorized high: Pays\\u{1B}[2J somebody\\u{202E} new (high)');
  });

  test.for([['ask'], ['accept-edits'], ['read-only']])('is not asked in mode %s', async ([mode = '']) => {
    using home = new Reviewed();
    home.reviewBy(echo(LOW));
    await home.say({ flags: ['--mode', mode] });
    expect([home.pay.paid(), home.reviews]).toEqual([[], []]);
  });

  test('is not asked about what a rule asks about, denies or allows', async () => {
    for (const [rules, status, paid] of [
      [{ ask: ['pay'] }, 3, 0],
      [{ deny: ['pay'] }, 0, 0],
      [{ allow: ['pay'] }, 0, 1],
    ] as const) {
      using home = new Reviewed();
      home.reviewBy(echo(LOW));
      const { reviewer } = JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8')) as {
        reviewer: object;
      };
      home.configure({ reviewer, rules });
      expect([(await home.say()).status, home.pay.paid().length, home.reviews]).toEqual([status, paid, []]);
    }
  });

  test('is switched off by a project, and never on', async () => {
    using home = new Reviewed();
    home.reviewBy(echo(LOW));
    writeFileSync(join(home.work, 'hitl.config.json'), JSON.stringify({ reviewer: false }));
    expect([(await home.say({ flags: ['--trust'] })).status, home.pay.paid()]).toEqual([3, []]);
    using other = new Reviewed();
    const file = join(other.beside, 'policy');
    writeFileSync(file, `#!/bin/sh\ntouch ${file}.ran\n${echo(LOW)}\n`, { mode: 0o755 });
    writeFileSync(join(other.work, 'hitl.config.json'), JSON.stringify({ reviewer: { command: [file] } }));
    const ran = await other.say({ flags: ['--trust'] });
    expect([ran.status, other.pay.paid(), existsSync(`${file}.ran`)]).toEqual([3, [], false]);
    expect(ran.stderr).toMatch(
      /`reviewer` in \S+ ignored: a project can only be stricter than your own settings/,
    );
  });

  describe('whose process dies', () => {
    const counted = (home: Reviewed): number =>
      existsSync(join(home.beside, 'count')) ? readFileSync(join(home.beside, 'count'), 'utf8').length : 0;
    const goOn = (home: Home, ...flags: readonly string[]) =>
      home.run(['resume', home.id, ...flags], { cwd: home.work });

    /** A session that dies at an event, with a reviewer that counts how often it is asked. */
    async function died(side: Side, type: string): Promise<Reviewed> {
      const home = new Reviewed();
      home.reviewBy('printf x >> "$(dirname "$0")/count"', echo(LOW));
      await home.say({ env: killAt(home, side, type, 1) });
      return home;
    }

    test('has its verdict counted for the same call, and is not asked again', async () => {
      using home = await died('after', 'reviewed');
      expect([home.pay.paid(), home.reviews.length]).toEqual([[], 1]);
      await goOn(home);
      expect([home.pay.paid(), home.reviews.length, counted(home)]).toEqual([
        [{ to: 'ann', amount: 2 }],
        1,
        1,
      ]);
      const started = home.events().find(({ type }) => type === 'tool-started');
      expect([started?.['plan']]).toEqual(home.reviews.map((review) => (review as { plan: string }).plan));
    });

    test('before it was kept is asked again', async () => {
      using home = await died('before', 'reviewed');
      expect([home.pay.paid(), home.reviews]).toEqual([[], []]);
      await goOn(home);
      expect([home.pay.paid().length, home.reviews.length, counted(home)]).toEqual([1, 1, 2]);
    });

    test('lets nothing run in another mode, by another reviewer, or without one', async () => {
      using home = await died('after', 'reviewed');
      expect([(await goOn(home, '--mode', 'ask')).status, home.pay.paid()]).toEqual([3, []]);
      home.configure({});
      expect([(await goOn(home, '--mode', 'auto')).status, home.pay.paid()]).toEqual([3, []]);
      home.configure({ reviewer: { command: ['false'] } });
      expect([(await goOn(home, '--mode', 'auto')).status, home.pay.paid()]).toEqual([3, []]);
    });

    test('behind its yes has the call started by it, and by no other reviewer or mode', async () => {
      using home = await died('after', 'interrupt-resolved');
      expect([home.pay.paid(), home.reviews.length]).toEqual([[], 1]);
      await goOn(home);
      expect([home.pay.paid().length, home.reviews.length, counted(home)]).toEqual([1, 1, 1]);
      for (const [config, mode] of [
        [undefined, 'ask'],
        [undefined, 'accept-edits'],
        [{}, 'auto'],
        [{ reviewer: { command: ['true'] } }, 'auto'],
      ] as const) {
        using other = await died('after', 'interrupt-resolved');
        if (config !== undefined) other.configure(config);
        expect([mode, (await goOn(other, '--mode', mode)).status, other.pay.paid()]).toEqual([mode, 3, []]);
        expect(other.asked('i2').payload).toMatchObject({
          warnings: [
            `asked again: allowed by reviewer ${join(other.beside, 'policy')}, which is no longer active`,
          ],
        });
        const said = await other.run(['resume', other.id], { input: lines('y'), cwd: other.work });
        expect([said.status, other.pay.paid()]).toEqual([0, [{ to: 'ann', amount: 2 }]]);
      }
    });

    test('in the call is a doubt for a person', async () => {
      using home = await died('after', 'tool-started');
      const ran = await goOn(home);
      expect([ran.status, home.pay.paid(), home.asked('i2').kind, counted(home)]).toEqual([
        3,
        [],
        'in-doubt',
        1,
      ]);
    });
  });
});
