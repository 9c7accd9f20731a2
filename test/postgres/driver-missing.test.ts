import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { installing } from '../../sessions/postgres/driver/connect.js';

/** What is said to a program in a folder; each of these has a manifest. */
function said(below: string, manifests: Readonly<Record<string, object>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'hitl-driver-'));
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true });
  });
  for (const [folder, manifest] of Object.entries(manifests)) {
    mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, folder, 'package.json'), JSON.stringify(manifest));
  }
  return installing('pg@8', path.join(root, below)).replace(root, '<root>');
}

describe('where the driver is missing, it is said where to install it', () => {
  test('beside a program that a package has', () => {
    const manifests = { project: { private: true }, 'project/node_modules/hitl': { name: 'hitl' } };
    expect(said('project/node_modules/hitl/dist/bin', manifests)).toBe('in <root>/project: npm install pg@8');
  });

  test('beside a program that is installed globally', () => {
    expect(said('lib/node_modules/hitl/dist/bin', { 'lib/node_modules/hitl': { name: 'hitl' } })).toBe(
      'npm install -g pg@8',
    );
  });

  test('in a checkout', () => {
    expect(said('hitl/dist/bin', { hitl: { name: 'hitl' }, 'hitl/dist/bin': { type: 'commonjs' } })).toBe(
      'in <root>/hitl: npm install pg@8',
    );
  });

  test('without a folder, by a program that holds the library in itself', () => {
    expect(said('app/dist', { app: { name: 'app' } })).toBe('npm install pg@8');
  });
});
