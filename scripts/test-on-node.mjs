// Runs the tests on another Node: `node scripts/test-on-node.mjs 24 [vitest arguments]`. The binary comes from the
// package registry into a folder for temporary files; nothing in the project changes.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { installNode } from './adopt/node.mjs';

const [major, ...vitestArgs] = process.argv.slice(2);
if (!/^\d+$/.test(major ?? '')) {
  console.error('usage: node scripts/test-on-node.mjs <major> [vitest arguments]');
  process.exit(2);
}

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'hitl-node-'));

try {
  const bin = installNode(major, folder);
  const node = path.join(bin, 'node');
  console.log(`testing on ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`);
  const { status } = spawnSync(
    node,
    [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...vitestArgs],
    {
      cwd: root,
      env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` },
      stdio: 'inherit',
    },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
