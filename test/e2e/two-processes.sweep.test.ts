import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { createFileStore } from '../../sessions/index.js';
import type { SessionId } from '../../src/core/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { Home, lines } from '../helpers/program.js';
import { Running } from '../helpers/running.js';
import { Terminal } from '../helpers/terminal.js';

const TWO = 'Transfer 200 to ABC123 and 300 to DEF456';
const BOTH = [
  { toAccount: 'ABC123', amount: 200 },
  { toAccount: 'DEF456', amount: 300 },
];
const byAccount = (one: { readonly toAccount: string }, other: { readonly toAccount: string }) =>
  one.toAccount.localeCompare(other.toAccount);

describe('several answers of one command', () => {
  const LABELS = `import { workflow } from 'hitl';
export default workflow('labels', async (ctx) => {
  const body = (i) => (c) => c.ask('label', { prompt: 'Which label has ' + i + '?', schema: { type: 'string' } });
  const labels = await ctx.all('items', Object.fromEntries(Array.from({ length: 80 }, (_, i) => ['i' + i, body(i)])));
  return Object.values(labels).join('');
});`;

  test('are kept by one reading of the session, and what is still open is told once (N18)', async () => {
    using home = new Home();
    const file = join(home.work, 'labels.mjs');
    writeFileSync(file, LABELS);
    expect((await home.run(['run', file, '--trust'])).status).toBe(3);
    const { id } = home;
    const given = (from: number, to: number): readonly string[] =>
      Array.from({ length: to - from }, (_, n) => ['--answer', `i${from + n}=a "b"`]).flat();

    const most = await home.run(['answer', id, ...given(1, 78)]);
    const told = most.stderr.trimEnd().split('\n');
    expect({
      status: most.status,
      recorded: told.slice(0, 77).every((line) => line.startsWith('Answered: ')),
    }).toEqual({
      status: 3,
      recorded: true,
    });
    expect(told.slice(77).map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'still open: i78',
      'still open: i79',
      'still open: i80',
      'hint: hitl show',
    ]);
    const wrong = await home.run([
      'answer',
      id,
      '--answer',
      'i78=a "b"',
      '--answer',
      'i1=a "c"',
      '--answer',
      'i79=a "b"',
    ]);
    expect([wrong.status, wrong.stderr.split('\n').slice(0, 2)]).toEqual([
      2,
      [
        expect.stringMatching(/^Answered: /u),
        expect.stringMatching(/^error: interrupt i1 was already answered by /u),
      ],
    ]);
    expect((await home.run(['answer', id, ...given(79, 81)])).status).toBe(0);
    const ended = await home.run(['resume', id, '--trust']);
    expect([ended.status, ended.stdout.trim()]).toEqual([0, 'b'.repeat(80)]);
  });

  test('are left in the inbox of whoever has the session', async () => {
    using home = new Home();
    expect((await home.run(['chat', '-p', TWO])).status).toBe(3);
    const { id } = home;
    const named = ['i1', 'i2'].map((one) => `${one}@${home.digest(one)}=y`);
    const store = createFileStore({ ...home.kept, clock: systemClock, random: randomBytes });
    await using writer = await store.open(id as SessionId, 'write');
    const left = await home.run(['answer', id, ...named.flatMap((one) => ['--answer', one])]);
    expect({ status: left.status, saved: left.stderr.split('Answer saved. Approved: ').length - 1 }).toEqual({
      status: 3,
      saved: 2,
    });
    const answers = writer.answers();
    expect([await answers.take(), await answers.take()]).toMatchObject([
      { id: 'i1', resolution: { action: 'restart' } },
      { id: 'i2', resolution: { action: 'restart' } },
    ]);
  });
});

describe('two questions of one turn', () => {
  test('are answered by two other processes in any order, and used once by a third', async () => {
    using home = new Home();
    expect((await home.run(['chat', '-p', TWO])).status).toBe(3);
    const { id } = home;

    const second = await home.run(['answer', id, '--digest', home.digest('i2'), 'y']);
    expect(second.status).toBe(3);
    expect(second.stderr).toContain('still open: i1');
    const first = await home.run(['answer', id, 'y', '--interrupt', 'i1', '--digest', home.digest()]);
    expect(first.status).toBe(0);
    expect(home.transfers()).toEqual([]);

    const again = await home.run(['answer', id, '--interrupt', 'i2', 'n']);
    expect(again.status).toBe(2);
    expect(again.stderr).toMatch(/^error: interrupt i2 was already approved by .+\nhint: .+\n$/u);

    const resumed = await home.run(['resume', id]);
    expect({ status: resumed.status, transfers: [...home.transfers()].sort(byAccount) }).toEqual({
      status: 0,
      transfers: BOTH,
    });
    expect((await home.run(['resume', id])).status).toBe(0);
    expect(home.transfers()).toHaveLength(2);
  });

  test('need a name where it is not clear which one is meant (graph case 45, I-9)', async () => {
    using home = new Home();
    await home.run(['chat', '-p', TWO]);
    const unnamed = await home.run(['answer', home.id, 'y']);
    expect(unnamed.status).toBe(2);
    expect(unnamed.stderr).toContain('--interrupt i1 | i2');
    const unknown = await home.run(['answer', home.id, '--interrupt', 'i9', 'y']);
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('open: i1 | i2');
    const always = await home.run(['answer', home.id, '--interrupt', 'i1', 'always']);
    expect({ status: always.status, shown: always.stderr.split('\n').slice(-3) }).toEqual({
      status: 2,
      shown: [
        'error: `always` only works in the session’s own terminal',
        `hint: hitl answer ${home.id} y --digest ${home.digest()}, and for later calls: hitl rules add allow transfer_money`,
        '',
      ],
    });
    expect(always.stderr).toContain('[i1]');
  });

  test('a yes without a terminal is refused unless it names what was shown, and the hint can be run as it stands (A10)', async () => {
    using home = new Home();
    await home.run(['chat', '-p', 'Transfer 200 to ABC123']);
    const { id } = home;
    const typed: readonly (readonly [string, readonly string[]])[] = [
      ['y', ['y']],
      ['approve', ['approve']],
      ['y', ['--interrupt', 'i1', 'y']],
      [`'edit +{"amount":1}'`, ['edit +{"amount":1}']],
      [`'{"action":"restart"}'`, ['{"action":"restart"}']],
    ];
    for (const [again, words] of typed) {
      const refused = await home.run(['answer', id, ...words]);
      expect({ words, status: refused.status, shown: refused.stderr.split('\n').slice(-3) }).toEqual({
        words,
        status: 2,
        shown: [
          'error: approving i1 requires the digest of the displayed question',
          `hint: hitl answer ${id} ${again} --digest ${home.digest()}`,
          '',
        ],
      });
      expect(refused.stderr).toContain('Transfer 200 to ABC123 [i1]');
    }
    const piped = await home.run(['answer', id], { input: lines('y') });
    expect(piped.status).toBe(2);
    const other = await home.run(['answer', id, 'y', '--digest', '00000000']);
    expect(other).toMatchObject({
      status: 2,
      stderr: `error: no open question in session ${id} has the digest 00000000\nhint: see the open questions: hitl show ${id}\n`,
    });
    expect(home.events().some(({ type }) => type === 'interrupt-resolved')).toBe(false);
    expect((await home.run(['answer', id, 'y', '--digest', home.digest()])).status).toBe(0);
  });

  test('a yes that was typed for one question is not taken for the next one (A10)', async () => {
    using home = new Home();
    await home.run(['chat', '-p', TWO]);
    const { id } = home;
    const shown = home.digest('i1');
    await home.run(['answer', id, '--interrupt', 'i1', 'n']);
    const late = await home.run(['answer', id, 'y', '--digest', shown]);
    expect([late.status, late.stderr.split('\n')[0]]).toEqual([
      2,
      expect.stringMatching(/^error: i1 was already rejected by .+$/u),
    ]);
    const crossed = await home.run(['answer', id, 'y', '--interrupt', 'i2', '--digest', shown]);
    expect(crossed).toMatchObject({
      status: 2,
      stderr: `error: question i2 has changed: it is not the one shown with ${shown}\nhint: review it again: hitl show ${id}\n`,
    });
  });

  test('a question id is not recorded as the words of an answer (B3)', async () => {
    using home = new Home();
    await home.run(['chat', '-p', 'Plan a barbecue']);
    const { id } = home;
    const refused = await home.run(['answer', id, 'i1', 'red']);
    expect(refused).toMatchObject({
      status: 2,
      stderr: `error: \`i1\` is a question id, not part of an answer\nhint: hitl answer ${id} --interrupt i1 red\n`,
    });
    expect((await home.run(['answer', id, '--interrupt', 'i1', '2'])).status).toBe(0);
  });

  test.skipIf(process.platform === 'win32')(
    'a yes at a terminal shows the question, and counts with a key (A10)',
    async () => {
      using home = new Home();
      await home.run(['chat', '-p', 'Transfer 200 to ABC123']);
      const { id } = home;
      using refusing = new Terminal(home, ['answer', id, 'y']);
      await refusing.until('Give this answer?');
      expect(refusing.shown).toContain('Transfer 200 to ABC123');
      await refusing.press('n');
      await refusing.until('not answered: i1 is still open');
      expect([await refusing.ended, home.transfers()]).toEqual([3, []]);
      using giving = new Terminal(home, ['answer', id, 'y', '--run']);
      await giving.until('Give this answer?');
      await giving.press('y');
      expect([await giving.ended, home.transfers()]).toEqual([0, [{ toAccount: 'ABC123', amount: 200 }]]);
    },
  );

  test('a digest stands below a whole question, and not in a row (G16)', async () => {
    using home = new Home();
    await home.run(['chat', '-p', TWO]);
    const digests = ['i1', 'i2'].map((id) => home.digest(id));
    const inbox = await home.run(['inbox']);
    const rows = [...digests, 'DIGEST'].filter((text) => `${inbox.stdout}${inbox.stderr}`.includes(text));
    const one = await home.run(['answer', home.id, '--interrupt', 'i1', 'n']);
    expect({ rows, hint: inbox.stderr, left: one.stderr.includes(digests[1]!) }).toEqual({
      rows: [],
      hint: `hint: hitl show ${home.id} prints the full request and its digest\n`,
      left: false,
    });
    const show = await home.run(['show', home.id]);
    const below = show.stdout.split('\n').filter((line) => line.includes('--digest'));
    expect(below).toEqual([`  hitl answer ${home.id} y --digest ${digests[1]!}`]);
  });

  test('`--run` resumes the session also if another question is open, and shows that one', async () => {
    using home = new Home();
    await home.run(['chat', '-p', TWO]);
    const ran = await home.run(['answer', home.id, 'y', '--digest', home.digest('i2'), '--run']);
    expect(ran.status).toBe(3);
    expect(ran.stderr.split('\n').slice(-3)).toEqual([
      `hint: hitl answer ${home.id} y --digest ${home.digest('i1')}`,
      `hint: hitl resume ${home.id}`,
      '',
    ]);
  });

  test('`--run` goes on when the last one is answered', async () => {
    using home = new Home();
    await home.run(['chat', '-p', TWO]);
    await home.run(['answer', home.id, '--digest', home.digest(), 'y']);
    const { status } = await home.run(['answer', home.id, '--interrupt', 'i2', 'n', '--run']);
    expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers: BOTH.slice(0, 1) });
  });
});

describe('a session that a process has', () => {
  test('is refused to a second one with status 4, naming the process (graph case 85)', async () => {
    using home = new Home();
    await using owner = new Running(home, ['chat']);
    owner.write(lines('Transfer 200 to ABC123'));
    await owner.until('needs your confirmation');
    const { status, stderr } = await home.run(['resume', home.id], { input: lines('y') });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 4, transfers: [] });
    expect(stderr).toContain(`process ${owner.pid}`);
    expect(stderr).toMatch(/since/u);
  });

  test.skipIf(process.platform === 'win32').for([
    ['y', 200],
    ['edit +{"amount":121}', 121],
  ] as const)(
    'takes %j from elsewhere with a key of the person there, who sees the question and who answered (A8)',
    async ([words, amount]) => {
      using home = new Home();
      using terminal = new Terminal(home, ['chat', 'Transfer 200 to ABC123']);
      await terminal.until('Approve this call?');
      const answered = home.run(['answer', home.id, words, '--digest', home.digest()]);
      await terminal.until('Answered elsewhere. Accept this answer?');
      expect(home.transfers()).toEqual([]);
      await terminal.press('y');
      expect((await answered).status).toBe(0);
      await terminal.until(`Transferred ${amount} to ABC123`);
      expect(terminal.shown).toMatch(/✓ \S+ approved .* from another terminal/u);
      expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount }]);
    },
  );

  test.skipIf(process.platform === 'win32')(
    'shows a line break in an answer from elsewhere as a sign, and the other side what it waits for',
    async () => {
      using home = new Home();
      using terminal = new Terminal(home, ['chat', 'Transfer 200 to ABC123']);
      await terminal.until('Approve this call?');
      const no = JSON.stringify({ action: 'reject', reason: 'too\nmuch' });
      const answered = home.run(['answer', home.id, no]);
      await terminal.until('Answered elsewhere. Accept this answer?');
      expect(terminal.shown).toContain('Answer: rejected  “too\\nmuch”');
      const { stderr } = await answered;
      expect(stderr.replace(/\d+/gu, '<n>')).toBe(
        'Answer saved. Rejected: Transfer <n> to ABC<n>  “too\\nmuch”\n' +
          'It takes effect when the user at the terminal of process <n> accepts it.\n',
      );
      await terminal.press('y');
      await terminal.until('rejected');
    },
  );
});
