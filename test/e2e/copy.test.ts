import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

describe('a copy of sessions', () => {
  test('has the same bytes, is made once, is refused over another one, and goes on by itself', async () => {
    using home = new Home();
    await home.run(['chat', '-p', 'Transfer 200 to ABC123']);
    const { id } = home;
    const there = join(home.path, 'there');
    const copied = await home.run(['copy', '--to', there]);
    expect(copied).toMatchObject({ status: 0, stdout: `${id}  copied (7 events)\n` });
    expect(copied.stderr).toContain('1 session of 1 copied');
    const journal = join(there, id, 'journal.jsonl');
    expect(readFileSync(journal)).toEqual(readFileSync(join(home.sessions, id, 'journal.jsonl')));
    const again = await home.run(['copy', id, '--to', there, '--json']);
    expect(JSON.parse(again.stdout)).toEqual({ session: id, result: 'there', records: 7, outputs: 0 });
    const shown = await home.run(['show', id, '--sessions', there]);
    expect(shown.stderr).toContain(
      'was written elsewhere: its approvals are not valid, and you are asked again',
    );
    const went = await home.run([
      'answer',
      id,
      'y',
      '--digest',
      home.digest('i1', id),
      '--run',
      '--sessions',
      there,
    ]);
    expect(went.status).toBe(0);
    expect((await home.run(['inbox'])).stdout).toContain(id); // the other one waits still
    const refused = await home.run(['copy', id, '--to', there]);
    expect(refused).toMatchObject({
      status: 4,
      stdout: `${id}  not copied: session ${id} already exists there and differs\n`,
    });
  });

  test('is not made of a session for which a message waits, or that is damaged', async () => {
    using home = new Home();
    await home.run(['chat', '-p', 'Transfer 200 to ABC123']);
    const { id } = home;
    await home.run(['send', id, 'and hurry']);
    const there = join(home.path, 'there');
    const waits = await home.run(['copy', '--to', there]);
    expect(waits.stdout).toBe(`${id}  not copied: session ${id} has not received 1 message yet\n`);
    expect(waits.status).not.toBe(0);
    const journal = join(home.sessions, id, 'journal.jsonl');
    const [first = '', , ...others] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, [first, ...others].join('\n'));
    expect(await home.run(['copy', '--to', there])).toMatchObject({ status: 5 });
    expect((await home.run(['list', '--sessions', there, '--json'])).stdout).toBe('[]\n');
  });
});
