import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

test('`hitl test-replay` says with both sides where changed code differs from a session, and leaves it as it is', async () => {
  using home = new Home();
  const file = join(home.work, 'deploy.mjs');
  const write = (prompt: string): void => {
    writeFileSync(
      file,
      `import { workflow } from 'hitl';
export default workflow('deploy', async (ctx) => {
  await ctx.step('deploy', () => console.error('deployed'));
  return ctx.ask('healthy', { prompt: '${prompt}' });
});`,
    );
  };
  write('Is a healthy?');
  expect((await home.run(['run', file, '--trust'])).status).toBe(3);
  const session = join(home.sessions, home.id);
  const kept = (): readonly (readonly [string, string])[] =>
    readdirSync(session).map((name) => [name, readFileSync(join(session, name), 'utf8')]);
  const before = kept();
  const replay = ['test-replay', file, home.id, '--trust'];
  expect(await home.run(replay)).toEqual({
    status: 0,
    stdout: 'the code matches the journal (2 operations)\n',
    stderr: '',
  });
  write('Is a well?');
  expect(await home.run(replay)).toEqual({
    status: 9,
    stdout: `the code no longer matches the journal at healthy#1 of deploy@1
  journal  ask: Is a healthy?
  code     ask: Is a well?
`,
    stderr: '',
  });
  expect(kept()).toEqual(before);
});

test('`hitl test-replay` refuses a graph, which has no code to replay', async () => {
  using home = new Home();
  const file = join(home.work, 'runbook.mjs');
  writeFileSync(
    file,
    `import { graph } from 'hitl';
export default graph('runbook').human('ask', { question: () => ({ prompt: 'ok?' }) }).end('ask').build();`,
  );
  expect((await home.run(['run', file, '--trust'])).status).toBe(3);
  for (const which of [home.id, '--all'])
    expect(await home.run(['test-replay', file, which, '--trust'])).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'error: test-replay only works for workflows written as functions; `runbook` is a graph\nhint: compare a session with a changed graph: hitl migrate <id> --dry-run\n',
    });
});

test('`hitl rerun`, `skip` and `fork --at` say what is done twice, and do it only where a person says so', async () => {
  using home = new Home();
  const file = join(home.work, 'deploy.mjs');
  writeFileSync(
    file,
    `import { workflow } from 'hitl';
export default workflow('deploy', async (ctx) => {
  await ctx.step('deploy', () => console.error('deployed'));
  return (await ctx.ask('healthy', { prompt: 'Is it healthy?', schema: { type: 'boolean' } })) ? 'well' : 'sick';
});`,
  );
  expect((await home.run(['run', file, '--trust'])).status).toBe(3);
  const { id } = home;
  const from = ['rerun', id, '--from', 'deploy#1'];
  const refused = await home.run(from);
  expect([refused.status, refused.stderr]).toEqual([
    2,
    `Will run again:
  deploy#1 · was done
error: rerunning from \`deploy#1\` repeats effects that already happened
hint: add \`--again\` to allow this, or list the effects with \`--dry-run\`
`,
  ]);
  const dry = await home.run([...from, '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toEqual({
    session: id,
    from: 'deploy#1',
    again: [{ name: 'deploy#1', outcome: 'output' }],
  });
  expect(home.events().filter(({ type }) => type === 'rewound')).toEqual([]);
  const anew = await home.run([...from, '--again', '--trust']);
  expect([anew.status, anew.stderr.includes('deployed\n')]).toEqual([3, true]);

  const forked = await home.run(['fork', id, '--at', 'healthy#1', '--quiet']);
  const given = await home.run(['skip', id, 'healthy#1', '--output', 'true', '--trust', '--json']);
  expect(JSON.parse(given.stdout)).toMatchObject({ status: 'done' });
  expect(given.stderr).not.toContain('deployed');
  const asked = await home.run(['resume', forked.stdout.trim(), '--trust', '--json']);
  expect(JSON.parse(asked.stdout)).toMatchObject({
    status: 'interrupted',
    interrupts: [{ kind: 'question' }],
  });
});
