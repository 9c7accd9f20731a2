import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { killAt } from '../helpers/kill-at.js';
import { Home } from '../helpers/program.js';
import { payModule, scriptModel } from '../helpers/tool-module.js';

const PAY = { name: 'pay', input: { to: 'ann', amount: 1 } };

interface Asking {
  readonly times?: number;
  readonly until?: 'turn' | 'session';
  readonly calls?: number;
  readonly flags?: readonly string[];
  readonly env?: Record<string, string>;
  /** Whether an answers file says yes to the grant. Default: yes. */
  readonly yes?: boolean;
}

/** A home with a tool that pays, and a model that asks for a grant before it pays. */
class Granting extends Home {
  #script: readonly object[] = [];
  readonly pay = payModule(this, { members: 'needsApproval: true,' });

  say({ times = 2, until = 'session', calls = 3, flags = [], env = {}, yes = true }: Asking = {}) {
    const grant = { reason: 'Three bills.', calls: [{ tool: 'pay', input: PAY.input, times }], until };
    this.#script = [
      { tools: [{ name: 'request_grant', input: grant }] },
      { tools: Array.from({ length: calls }, () => PAY) },
      { text: 'done' },
    ];
    const model = scriptModel(this, this.#script);
    return this.run(
      [
        'chat',
        '-p',
        'pay the bills',
        '--model',
        model,
        '-t',
        this.pay.module,
        ...(yes ? this.yes : []),
        ...flags,
      ],
      { cwd: this.work, env },
    );
  }

  get yes(): readonly string[] {
    const file = join(this.path, 'answers.json');
    writeFileSync(file, JSON.stringify([{ match: { tool: 'request_grant' }, answer: 'y' }]));
    return ['--answers', file];
  }

  /** Says more, to which the model pays once. */
  sayMore() {
    scriptModel(this, [...this.#script, { tools: [PAY] }, { text: 'done again' }]);
    return this.run(['resume', this.id], { cwd: this.work, input: 'one more\n' });
  }

  goOn() {
    return this.run(['resume', this.id], { cwd: this.work });
  }

  /** Approves an open question from another process. */
  approve(interrupt: string) {
    return this.run(['answer', this.id, 'y', '--digest', this.digest(interrupt)], { cwd: this.work });
  }

  get uses(): readonly unknown[] {
    return this.events().flatMap(({ type, by }) => {
      const { grant } = (by ?? {}) as { grant?: unknown };
      return type === 'interrupt-resolved' && grant !== undefined ? [grant] : [];
    });
  }
}

describe('a grant', () => {
  test('lets that many calls of a reply run, and asks about the next; each is told', async () => {
    using home = new Granting();
    const ran = await home.say();
    expect([ran.status, home.pay.paid()]).toEqual([3, []]); // calls of one reply run when all are decided
    expect(home.uses).toEqual([
      { id: 'i1.1', use: 1, of: 2 },
      { id: 'i1.1', use: 2, of: 2 },
    ]);
    expect(home.asked('i1')).toMatchObject({
      payload: {
        reason: 'Three bills.',
        facts: {
          1: 'pay, exactly {"to":"ann","amount":1}, at most 2 times',
          until: 'the end of this session',
        },
      },
    });
    expect(ran.stderr).toContain('(granted: exactly this call, 1 of 2)');
    expect(ran.stderr).toContain('(granted: exactly this call, 2 of 2)');
    const why = await home.run(['why', home.id]);
    expect(why.stdout).toContain('because grant i1.1 allows it (use 2 of 2)');
    expect((await home.run(['audit', 'verify', home.id])).status).toBe(0);
    expect((await home.run(['rules', '--session', home.id])).stdout).not.toContain('granted');
    expect((await home.approve('i4')).status).toBe(0);
    expect([(await home.goOn()).status, home.pay.paid().length]).toEqual([0, 3]);
    const { stdout } = await home.run(['review', home.id, '--json']);
    const passed = JSON.parse(stdout) as { readonly tool: string; readonly because: string }[];
    const granted = 'granted pay, exactly this call: {"to":"ann","amount":1} (grant i1.1)';
    expect(passed.map(({ tool, because }) => [tool, because])).toEqual([
      ['request_grant', expect.stringContaining('script') as string],
      ['pay', granted],
      ['pay', granted],
    ]);
  });

  test('is a rule of the session until it is used up, after a restart too', async () => {
    using home = new Granting();
    expect((await home.say({ times: 5 })).status).toBe(0);
    const listed = await home.run(['rules', '--session', home.id]);
    expect(listed.stdout).toContain('granted pay, exactly this call: {"to":"ann","amount":1} (2 of 5 left)');
    const next = await home.sayMore();
    expect([next.status, home.uses.at(-1), home.pay.paid().length]).toEqual([
      0,
      { id: 'i1.1', use: 4, of: 5 },
      4,
    ]);
    await home.run(['rules', 'remove', 'always', 'pay', '--session', home.id]);
    expect((await home.run(['rules', '--session', home.id])).stdout).not.toContain('granted');
  });

  test('for a turn ends with it', async () => {
    using home = new Granting();
    expect((await home.say({ times: 5, until: 'turn' })).status).toBe(0);
    const next = await home.sayMore();
    expect([next.status, home.pay.paid().length]).toEqual([3, 3]);
  });

  test.for<readonly [string, readonly string[]]>([
    ['--yes', ['--yes', 'request_grant']],
    ['--yes for its tool and another', ['--yes', 'request_grant', '--yes', 'list_files']],
    ['--mode accept-edits', ['--mode', 'accept-edits']],
  ])('is not given by %s', async ([, flags]) => {
    using home = new Granting();
    const ran = await home.say({ yes: false, flags });
    expect([ran.status, home.pay.paid(), home.asked('i1').kind]).toEqual([3, [], 'confirmation']);
  });

  test('is not given by a rule, and a rule that denies it denies it', async () => {
    using home = new Granting();
    writeFileSync(join(home.path, 'config.json'), JSON.stringify({ rules: { allow: ['request_grant'] } }));
    expect((await home.say({ yes: false })).status).toBe(3);
    using other = new Granting();
    writeFileSync(join(other.path, 'config.json'), JSON.stringify({ rules: { deny: ['request_grant'] } }));
    await other.say();
    expect([other.uses, other.asked('i1').kind]).toEqual([[], 'confirmation']);
  });

  test('is given by an answer from elsewhere, and never for later grants', async () => {
    using home = new Granting();
    expect((await home.say({ yes: false })).status).toBe(3);
    const always = await home.run(['answer', home.id, '{"action":"approve","always":true}']);
    expect([always.status, always.stderr]).toEqual([2, expect.stringContaining('`always` does not apply')]);
    expect((await home.run(['answer', home.id, 'always tool'])).status).toBe(2);
    expect((await home.approve('i1')).status).toBe(0);
    expect([(await home.goOn()).status, home.uses.length]).toEqual([3, 2]);
  });

  test('that could not be given asks nobody, and the model is told why', async () => {
    using other = new Granting();
    writeFileSync(join(other.path, 'config.json'), JSON.stringify({ rules: { ask: ['pay'] } }));
    await other.say({ yes: false });
    const settled = other.events().find(({ type }) => type === 'tool-settled');
    expect(settled).toMatchObject({ outcome: { type: 'error', code: 'invalid-input' } });
    expect(JSON.stringify(settled)).toContain('calls[0] (pay): the rule `ask pay` asks about');
    expect(other.asked('i1')).toMatchObject({ source: { name: 'pay' } });
  });
});

describe('a process that dies', () => {
  test('behind a use has used it: nothing runs more often than was granted', async () => {
    using home = new Granting();
    await home.say({ env: killAt(home, 'after', 'interrupt-resolved', 2) });
    expect([home.uses.length, home.pay.paid()]).toEqual([1, []]);
    expect([(await home.goOn()).status, home.uses.length, home.asked('i4').kind]).toEqual([
      3,
      2,
      'confirmation',
    ]);
  });

  test('behind the start of the grant has one grant', async () => {
    using home = new Granting();
    await home.say({ env: killAt(home, 'after', 'tool-started', 1) });
    expect([(await home.goOn()).status, home.uses.length, home.asked('i4').kind]).toEqual([
      3,
      2,
      'confirmation',
    ]);
    const starts = home
      .events()
      .filter(({ type, name }) => type === 'tool-started' && name === 'request_grant');
    expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});
