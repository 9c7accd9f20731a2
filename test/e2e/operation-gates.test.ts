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
    home.run(['why', id, 'deploy']),
    home.run(['why', id, 'deploy#2']),
    home.run(['inbox']),
  ]);
  expect(show.stdout).toMatch(
    /^ {2}✓ continued deploy by .+ \(i1\)\n {2}● deploy#2 waits at a gate \(i2 [0-9a-f]{8}\)/mu,
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
