import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

const FLOW = `import { workflow } from 'hitl';
export default workflow('release', async (ctx) => {
  for (const host of ['a', 'b']) await ctx.step('deploy', () => null, { of: { host } });
  return 'out';
});`;

test('W77: `hitl show`, `why` and `inbox` name the operation before which a person is asked, and show no fingerprint', async () => {
  using home = new Home();
  const file = join(home.work, 'release.mjs');
  writeFileSync(file, FLOW);
  expect((await home.run(['run', file, '--trust', '--before', 'deploy'])).status).toBe(3);
  const { id } = home;
  expect((await home.run(['resume', id, '--trust', '--answer', `i1@${home.digest()}=continue`])).status).toBe(
    3,
  );
  const [show, why, named, inbox] = await Promise.all([
    home.run(['show', id]),
    home.run(['why', id, 'deploy', '--verbose']),
    home.run(['why', id, 'deploy#2', '--verbose']),
    home.run(['inbox']),
  ]);
  expect(show.stdout).toMatch(
    /^ {2}✓ continued deploy by .+ \(i1\)\n {2}● deploy#2 is waiting at a gate \(i2\)/mu,
  );
  expect(why.stdout).toMatch(
    /^i1 {2}gate of deploy#1 \(release@1\)$[^]+^i2 {2}gate of deploy#2 \(release@1\)$/mu,
  );
  expect(named.stdout).toMatch(
    /^i2 {2}gate of deploy#2 \(release@1\)\n.+\n {2}shown {3}\{"does":"step","input":\{"host":"b"\}\}$/mu,
  );
  expect(inbox.stdout).toContain('gate before deploy#2');
  expect([show, why, named, inbox].map(({ stdout }) => stdout).join('')).not.toContain('plan');
});

const BRANCHES = `import { workflow } from 'hitl';
export default workflow('release', async (ctx) => {
  await ctx.all('hosts', {
    a: (c) => c.step('install', () => 'a', { of: 'a 7' }),
    b: (c) => c.step('install', () => (process.env.DIES === '1' ? new Promise(() => setTimeout(() => process.exit(9), 500)) : 'b'), { of: 'b 7' }),
  });
  return 'out';
});`;

test('N6, N11: what code did is one tree in `show`, `--effects` and `graph`, and its keys are those of `rewind`', async () => {
  using home = new Home();
  const file = join(home.work, 'release.mjs');
  writeFileSync(file, BRANCHES);
  await home.runAlone(['run', file, '--trust'], { env: { DIES: '1' } });
  const { id } = home;
  expect((await home.run(['resume', id, '--trust'])).status).toBe(3);
  const [show, effects, graph, inbox, rewind] = await Promise.all([
    home.run(['show', id]),
    home.run(['show', id, '--effects']),
    home.run(['graph', file, '--session', id, '--trust']),
    home.run(['inbox']),
    home.run(['rewind', id, '--to', 'install#1']),
  ]);
  for (const { stdout } of [show, effects, graph])
    expect(stdout).toMatch(/[├└] ! hosts\/b\/install#1 .* b 7 · in doubt$/mu);
  expect(inbox.stdout).toContain('Did this happen?  install b 7 · release › hosts › b');
  expect([rewind.status, rewind.stderr]).toEqual([
    2,
    'error: `install#1` is not on the path: release@1; the last operations: hosts/a/install#1, hosts/b/install#1\n' +
      `hint: use one of: release@1, hosts/a/install#1, hosts/b/install#1 (hitl show ${id})\n`,
  ]);
});

test('N11: a step that ends has a line, and none with `--quiet`', async () => {
  using home = new Home();
  const file = join(home.work, 'release.mjs');
  writeFileSync(file, BRANCHES);
  const told = await home.run(['run', file, '--trust']);
  expect(told.stderr).toBe(
    'model `demo`, set by `HITL_MODEL`\n▸ release\n✓ release › hosts/a/install  a 7\n✓ release › hosts/b/install  b 7\n✓ release\n',
  );
  expect((await home.run(['run', file, '--trust', '--quiet'])).stderr).toBe('');
});
