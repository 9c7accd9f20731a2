import { realpathSync } from 'node:fs';

import { describe, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { Running } from '../helpers/running.js';

describe('a worker that starts', () => {
  test('names its store and the folders that it serves in one line', async () => {
    using home = new Home();
    await using worker = new Running(home, ['worker', '--folder', home.path]);
    const folders = `${realpathSync(process.cwd())}, ${realpathSync(home.path)}`;
    await worker.until(
      `worker: up to 1 session at once on ${home.sessions}, serves ${folders}; Ctrl-C stops\n`,
    );
  });
});
