import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

test('notify that does not end in 10 s is told, and changes no status', async () => {
  using home = new Home();
  const notify = [process.execPath, '-e', 'setInterval(() => 0, 1000)'];
  writeFileSync(join(home.path, 'config.json'), JSON.stringify({ notify }));
  const { status, stderr } = await home.run(['chat', '-p', 'Transfer 300 to DEF456']);
  expect(status).toBe(3);
  expect(stderr).toContain(`warning: \`notify\` failed for i1: ${process.execPath} did not exit within 10 s`);
});
