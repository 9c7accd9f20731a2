import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home, lines } from '../helpers/program.js';
import { ANSWERS, ARGS, endOf, heads, NOTE, published, run, stateOf, WHOLE } from '../helpers/publish-run.js';

describe('hitl run examples/publish', () => {
  test('asks at the tool inside the draft, at the gates and at the review, and publishes once', async () => {
    using home = new Home();
    const { status, stdout } = await run(home, ARGS, lines(...ANSWERS));
    expect({ status, stdout, published: published(home), end: endOf(home) }).toEqual({
      status: 0,
      stdout: `published: ${NOTE}\n`,
      published: [NOTE],
      end: WHOLE,
    });
    const shown = await home.run(['show', home.id]);
    expect(heads(shown.stdout)).toEqual([
      'draft undone',
      'draft@2 done',
      'review undone',
      'publish undone',
      'review@2 done',
      'publish@2 done',
    ]);
    expect(shown.stdout).toContain('  guidance: keep it short\n');
    const why = await home.run(['why', home.id, 'publish@2', '--verbose']);
    expect(why.stdout).toContain('i8  gate of publish@2\n');
    const effects = JSON.parse((await home.run(['show', '--effects', '--json', home.id])).stdout) as object[];
    expect(effects).toMatchObject([{ path: 'draft@1' }, { path: 'draft@2' }, { name: 'publish@2' }]);
  });

  test('waits with status 3, is in the inbox, and is answered from elsewhere (graph case 48, I-13)', async () => {
    using home = new Home();
    expect((await run(home, ARGS)).status).toBe(3);
    const inbox = await home.run(['inbox', '--json']);
    expect(JSON.parse(inbox.stdout)).toMatchObject([{ kind: 'confirmation', path: 'draft@1' }]);
    expect((await home.run(['answer', home.id, 'y', '--digest', home.digest()])).status).toBe(0);
    const { status, stdout } = await run(home, ['resume', home.id], lines(...ANSWERS.slice(1)));
    expect({ status, stdout, published: published(home) }).toEqual({
      status: 0,
      stdout: `published: ${NOTE}\n`,
      published: [NOTE],
    });
  });

  test('an answer that the gate does not take leaves it open: status 2', async () => {
    using home = new Home();
    const { status, stderr } = await run(home, ARGS, lines('y', 'go-back 7'));
    expect({ status, says: stderr.includes('before the start of the path') }).toEqual({
      status: 2,
      says: true,
    });
    expect(JSON.parse((await home.run(['inbox', '--json'])).stdout)).toMatchObject([{ kind: 'gate' }]);
  });

  test('ends with status 9 when a person cancels it, and can be taken up again', async () => {
    using home = new Home();
    const cancelled = await run(home, ARGS, lines('y', 'cancel not now'));
    expect({ status: cancelled.status, ended: stateOf(home).ended }).toEqual({
      status: 9,
      ended: { type: 'aborted' },
    });
    expect(cancelled.stderr).toContain(`hint: hitl resume ${home.id}`);
    expect(published(home)).toEqual([]);
    expect((await run(home, ['resume', home.id])).status).toBe(3);
  });

  test('another run begins as one that is over did, but for what is said anew; one that waits is gone on with', async () => {
    using home = new Home();
    const file = join(home.work, 'flow.mjs');
    const code = "async (ctx, { a, b }) => (a === 1 ? `${a} ${b}` : ctx.ask('why', { prompt: 'why?' }))";
    writeFileSync(file, `import { workflow } from 'hitl';\nexport default workflow('f', ${code});\n`);
    const first = await home.run(['run', file, '--set', 'a=1', '--set', 'b=1', '--trust', '--quiet']);
    const { id } = home;
    const second = await home.run(['run', '--again', id, '--set', 'b=2', '--trust']);
    const third = await home.run(['run', '--again', id, '--set', 'a=2', '--trust', '--quiet']);
    const [, , waits = ''] = home.ids();
    const fourth = await home.run(['run', '--again', waits]);
    expect([first, second, third, fourth].map(({ status, stdout }) => [status, stdout])).toEqual([
      [0, '1 1\n'],
      [0, '1 2\n'],
      [3, ''],
      [2, ''],
    ]);
    expect(second.stderr).toContain(`another run of ${id}, with a=1 b=2\n`);
    expect(fourth.stderr).toBe(
      `error: session ${waits} has not ended\nhint: resume it: hitl resume ${waits}\n`,
    );
  });
});
