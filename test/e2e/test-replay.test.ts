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
    stdout: 'the code does what the journal has: 2 operations\n',
    stderr: '',
  });
  write('Is a well?');
  expect(await home.run(replay)).toEqual({
    status: 9,
    stdout: `the code does not do what the journal has at healthy#1 of deploy@1
  journal  ask: Is a healthy?
  code     ask: Is a well?
`,
    stderr: '',
  });
  expect(kept()).toEqual(before);
});
