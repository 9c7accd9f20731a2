import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

test('W58: `hitl migrate` moves a session of an older version by the plan that was shown, and runs nothing', async () => {
  using home = new Home();
  const file = join(home.work, 'deploy.mjs');
  const write = (version: number): void => {
    writeFileSync(
      file,
      `import { workflow } from 'hitl';
export default workflow('deploy', { version: ${version} }, async (ctx) => {
  await ctx.step('deploy', () => console.error('deployed'));
  return ctx.ask('healthy', { prompt: 'Is a healthy?' });
});`,
    );
  };
  write(1);
  expect((await home.run(['run', file, '--trust'])).status).toBe(3);
  write(2);
  const { id } = home;
  const resume = ['resume', id, '--trust', '--quiet', '--answer', `i1@${home.digest()}=true`];
  const refused = await home.run(resume);
  expect([refused.status, refused.stderr]).toEqual([
    2,
    expect.stringContaining('version 1 instead of version 2, which does not accept any other version'),
  ]);
  expect(refused.stderr).toContain(`hitl migrate ${id}`);
  const shown = await home.run(['migrate', id, '--dry-run', '--trust']);
  expect(shown).toEqual({
    status: 0,
    stdout: expect.stringMatching(
      /^deploy: version 1 to 2\nthe code matches the journal \(2 operations\)\nplan [\da-f]{12}\n$/u,
    ),
    stderr: '',
  });
  const plan = shown.stdout.trim().split(' ').at(-1) ?? '';
  const unasked = await home.run(['migrate', id, '--trust']);
  expect([unasked.status, unasked.stderr]).toEqual([2, expect.stringContaining(`--agree ${plan}`)]);
  expect((await home.run(['migrate', id, '--trust', '--agree', '0123456789ab'])).status).toBe(2);
  const moved = await home.run(['migrate', id, '--trust', '--json', '--agree', plan]);
  expect([moved.status, JSON.parse(moved.stdout)]).toMatchObject([0, { session: id, moved: true, plan }]);
  expect(moved.stderr).not.toContain('deployed');
  expect((await home.run(['migrate', id, '--dry-run', '--trust'])).stdout).toContain('nothing to migrate');
  // The question was one of the older code: what is said to it is asked again by this one.
  const again = await home.run(['resume', id, '--trust', '--answer', `i1@${home.digest('i1', id)}=true`]);
  expect([again.status, again.stderr]).toEqual([
    3,
    expect.stringContaining('the code of `deploy` has changed since it was answered'),
  ]);
  const last = ['resume', id, '--trust', '--quiet', '--answer', `i2@${home.digest('i2', id)}=true`];
  expect(await home.run(last)).toMatchObject({ status: 0, stdout: 'true\n' });
  expect(await home.run(['migrate', '--workflow', 'deploy', '--dry-run', '--trust'])).toMatchObject({
    status: 0,
    stdout: 'no unfinished sessions of `deploy`\n',
  });
});
