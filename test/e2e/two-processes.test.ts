import { describe, expect, test } from 'vitest';

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

describe('two questions of one turn', () => {
  test('are answered by two other processes in any order, and used once by a third', async () => {
    using home = new Home();
    expect((await home.run(['chat', '-p', TWO])).status).toBe(3);
    const { id } = home;

    const second = await home.run(['answer', id, '--interrupt', 'i2', 'y']);
    expect(second.status).toBe(3);
    expect(second.stderr).toContain('still open: i1');
    const first = await home.run(['answer', id, '--interrupt', 'i1', 'y']);
    expect(first.status).toBe(0);
    expect(home.transfers()).toEqual([]);

    const again = await home.run(['answer', id, '--interrupt', 'i2', 'n']);
    expect(again.status).toBe(2);
    expect(again.stderr).toMatch(/^error: interrupt i2 was answered already by .+: restart\nhint: .+\n$/u);

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
    expect(unknown.stderr).toContain('open: i1, i2');
    const always = await home.run(['answer', home.id, '--interrupt', 'i1', 'always']);
    expect(always).toMatchObject({
      status: 2,
      stderr: `error: \`always\` is not taken from another terminal: it would add no rule\nhint: hitl answer ${home.id} y, and for later calls: hitl rules add allow transfer_money\n`,
    });
  });

  test('`--run` goes on when the last one is answered', async () => {
    using home = new Home();
    await home.run(['chat', '-p', TWO]);
    await home.run(['answer', home.id, '--interrupt', 'i1', 'y']);
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
    'takes %j from elsewhere: its question is withdrawn, and says who answered',
    async ([words, amount]) => {
      using home = new Home();
      using terminal = new Terminal(home, ['chat', 'Transfer 200 to ABC123']);
      await terminal.until('Your decision:');
      const answered = await home.run(['answer', home.id, words]);
      expect(answered.status).toBe(0);
      await terminal.until(`Transferred ${amount} to ABC123`);
      expect(terminal.shown).toMatch(/answered (elsewhere )?by \S+/u);
      expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount }]);
    },
  );
});
