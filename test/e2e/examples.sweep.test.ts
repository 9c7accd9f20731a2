import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { EXAMPLES, play, printedBy, workflows } from '../helpers/example.js';
import { killAt } from '../helpers/kill-at.js';
import type { Ran } from '../helpers/program.js';
import { Home, lines } from '../helpers/program.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The events of the only session, without what differs from run to run: ids, times, seeds and places. */
function told(home: Home): readonly unknown[] {
  const text = JSON.stringify(home.events())
    .replaceAll(home.id, '<session>')
    .replaceAll(home.path, '<home>')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<digest>') // a tool says which file it is of
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>')
    .replaceAll(/flow\.(?:ts|yaml)/g, 'flow')
    .replaceAll(/"(seed|pid)":\d+/g, '"$1":0');
  return JSON.parse(text) as readonly unknown[];
}

describe.each(workflows())('examples/%s', (example) => {
  test('prints the same and tells the same events in TypeScript and as a file', async () => {
    const runs = [];
    for (const flow of ['flow.ts', 'flow.yaml']) {
      using home = new Home();
      runs.push({ ...(await play(home, example, flow)), events: told(home) });
    }
    const [code, data] = runs;
    expect(code).toMatchObject({ status: 0, stdout: printedBy(example), stderr: '' });
    expect(data).toEqual(code);
  });
});

describe('hitl graph', () => {
  test.each(workflows())('draws examples/%s alike from TypeScript and from a file', async (example) => {
    using home = new Home();
    const [code, data] = await Promise.all(
      ['flow.ts', 'flow.yaml'].map((flow) => home.run(['graph', join(EXAMPLES, example, flow), '--trust'])),
    );
    expect(code).toMatchObject({ status: 0, stderr: '' });
    expect(code?.stdout).toMatch(/^graph /);
    expect(data).toEqual(code);
  });
});

describe('examples/runbook', () => {
  const flow = join(EXAMPLES, 'runbook/flow.yaml');

  function run(home: Home, args: readonly string[], answers: readonly string[], env = {}): Promise<Ran> {
    return home.run(args, {
      input: lines(...answers),
      env: { OPS_LOG: join(home.path, 'ops.log'), ...env },
    });
  }

  function done(home: Home): readonly string[] {
    const file = join(home.path, 'ops.log');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  test('asks, when it died while it restarted the service, and restarts it once', async () => {
    using home = new Home();
    // The first tool that was started has looked.
    const died = await run(
      home,
      ['run', flow, 'shop', '--trust'],
      ['restart', 'y'],
      killAt(home, 'after', 'tool-started', 2),
    );
    expect({ status: died.status, done: done(home) }).toEqual({ status: 137, done: [] });
    const asked = await run(home, ['resume', home.id, '--json'], []);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      status: 'interrupted',
      interrupts: [{ kind: 'in-doubt', source: { type: 'tool', name: 'restart_service' } }],
    });
    const { status } = await run(
      home,
      ['resume', home.id],
      ['retry', 'go-back decide', 'roll_back', 'y', 'y'],
    );
    expect({ status, done: done(home) }).toEqual({ status: 0, done: ['restart shop', 'roll back shop'] });
  });

  test('does nothing that a person rejects, and ends with status 9 when one cancels', async () => {
    using home = new Home();
    const { status } = await run(home, ['run', flow, 'shop', '--trust'], ['wait', 'cancel call the vendor']);
    expect({ status, done: done(home) }).toEqual({ status: 9, done: [] });
    const again = await run(home, ['resume', home.id], []);
    expect({ status: again.status, done: done(home) }).toEqual({ status: 3, done: [] });
  });
});

describe('a workflow of a great size', () => {
  test.each([
    ['chain', 300, 'chain of 300: done, counted 300, 902 events'],
    ['map', 100, 'map of 100: done, counted 100, 505 events'],
  ])('%s of %d runs to its end with no more events than its size asks for', (shape, size, line) => {
    const script = join(ROOT, 'scripts/scale.ts');
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, shape, String(size)], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect({ counted: stdout.split('\n')[0], stderr }).toEqual({ counted: line, stderr: '' });
  });
});
