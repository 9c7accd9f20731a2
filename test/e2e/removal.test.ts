import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

const SECRET = 'MARIASECRET77';

/** Files below a folder that hold a word. */
function holding(folder: string, word = SECRET): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name);
    if (statSync(file).isDirectory()) return holding(file, word);
    return readFileSync(file, 'latin1').includes(word) ? [file] : [];
  });
}

describe('a deleted session', () => {
  test.for([
    ['rm', (id: string) => ['rm', '--yes', id]],
    ['prune', () => ['prune', '--older-than', '1s', '--yes']],
  ] as const)(
    'leaves nothing of its text in the folders of this program: %s (adopter 3)',
    async ([how, command]) => {
      using home = new Home();
      const history = join(home.path, 'history');
      const kept = JSON.stringify('what is the time?');
      writeFileSync(history, `${kept}\n${JSON.stringify(`Transfer 200 to ${SECRET}`)}\n`);
      const said = how === 'rm' ? `Transfer 200 to ${SECRET}` : `Transfer 20 to ${SECRET}`;
      await home.run(['chat', '--model', 'demo', '-q', '-p', said]);
      const { id } = home;
      const looks = [
        ['inbox'],
        ['list'],
        ['list', '--text', SECRET],
        ['show', id],
        ['why', id],
        ['export', id, '--output', '-'],
        ...(how === 'rm' ? [['send', id, `more about ${SECRET}`]] : []),
        ['inbox', '--verbose'],
        ['doctor', id],
        ['list', '--json'],
      ];
      for (const look of looks) await home.run(look);
      expect(holding(home.path).length).toBeGreaterThan(2);
      if (how === 'prune') writeFileSync(history, `${kept}\n${JSON.stringify(said)}\n`);
      if (how === 'prune') await passing(1100);
      const { status, stdout, stderr } = await home.run(command(id));
      expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('Deleted') as string]);
      expect(holding(home.path)).toEqual([]);
      expect(readFileSync(history, 'utf8')).toBe(`${kept}\n`);
    },
  );

  test('can be found by what anybody said in it, and not by its title alone (adopter 3)', async () => {
    using home = new Home();
    await home.run(['chat', '--model', 'demo', '-q', '-p', 'hello'], { input: 'my name is Zebulon Quist\n' });
    const first = home.id;
    await home.run(['chat', '--model', 'demo', '-q', '-p', 'Transfer 200 to Ann Lee']);
    await home.run(['send', home.ids().find((id) => id !== first) ?? '', 'straße of the ｆｏｒｅｓｔ']);
    const second = home.ids().find((id) => id !== first);
    const found = async (...args: readonly string[]) => {
      const { stdout } = await home.run(['list', '--json', ...args]);
      return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
    };
    expect({
      title: await found('--search', 'ann lee'),
      input: await found('--text', 'ANN LEE'),
      mail: await found('--text', 'Forest'),
      nobody: await found('--text', 'Xavier'),
      both: await found('--text', 'Ann Lee', '--search', 'nothing of it'),
    }).toEqual({ title: [second], input: [second], mail: [second], nobody: [], both: [] });
    expect((await home.run(['list', '--text', ' '])).status).toBe(2);
  });

  test('says which sessions it could not look into (adopter 3)', async () => {
    using home = new Home();
    mkdirSync(join(home.sessions, 'broken'), { recursive: true });
    writeFileSync(join(home.sessions, 'broken', 'journal.jsonl'), 'not a journal\nat all\n');
    const { stdout, stderr } = await home.run(['list', '--text', 'Ann']);
    expect([stdout, stderr]).toEqual([
      '',
      expect.stringContaining('not searched: 1 unreadable session') as string,
    ]);
  });
});
