import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { Home, lines } from '../helpers/program.js';

const ASK = 'Transfer 300 to DEF456';

let home: Home;
let told = '';
beforeEach(() => {
  home = new Home();
  told = join(home.path, 'told.jsonl');
});
afterEach(() => {
  home[Symbol.dispose]();
});

/** Names a program that keeps its arguments and what it reads. */
function configure(script = KEEPS, ...args: readonly string[]): void {
  const notify = [process.execPath, '-e', script, told, ...args];
  writeFileSync(join(home.path, 'config.json'), JSON.stringify({ notify }));
}

const KEEPS = `const [file, ...args] = process.argv.slice(1);
  const read = require('node:fs').readFileSync(0, 'utf8');
  console.log('not shown');
  require('node:fs').appendFileSync(file, JSON.stringify({ args, read }) + '\\n');`;

const keptBy = () => {
  const text = existsSync(told) ? readFileSync(told, 'utf8') : '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { args: string[]; read: string });
};

describe('notify', () => {
  test('runs a program without a shell with the question as JSON on its input', async () => {
    configure(KEEPS, '$HOME; touch x');
    const { status, stdout, stderr } = await home.run(['chat', '-p', ASK]);
    const [kept, ...more] = keptBy();
    expect({ status, stdout, more }).toEqual({ status: 3, stdout: '', more: [] });
    expect(stderr).not.toContain('not shown');
    expect(kept?.args).toEqual(['$HOME; touch x']);
    expect(kept?.read.endsWith('\n')).toBe(true);
    expect(JSON.parse(kept?.read ?? '')).toMatchObject({
      session: home.id,
      id: 'i1',
      kind: 'confirmation',
      source: { name: 'transfer_money', input: { toAccount: 'DEF456', amount: 300 } },
      asked: 'Transfer 300 to DEF456 · transfers above 100',
      answer: `hitl answer ${home.id} y --digest ${home.digest()}`,
      resume: `hitl resume ${home.id}`,
    });
  });

  test('tells of a question once, and of none that was answered', async () => {
    configure();
    await home.run(['chat', '-p', ASK]);
    await home.run(['resume', home.id]);
    expect(keptBy()).toHaveLength(1);
    await home.run(['resume', home.id], { input: lines('y') });
    expect(keptBy()).toHaveLength(1);
  });

  test.for([
    ['process.exit(4)', 'exited with status 4'],
    ['process.kill(process.pid)', 'exited with SIGTERM'],
  ] as const)('that fails by %s is told, and changes no status', async ([script, said]) => {
    configure(script);
    const { status, stderr } = await home.run(['chat', '-p', ASK]);
    expect(status).toBe(3);
    expect(stderr).toContain(`warning: \`notify\` failed for i1: ${process.execPath} ${said}`);
  });

  test('of a project that is not trusted is not run', async () => {
    configure();
    const config = readFileSync(join(home.path, 'config.json'), 'utf8');
    writeFileSync(join(home.path, 'config.json'), '{}');
    writeFileSync(join(home.path, 'hitl.config.json'), config);
    await home.run(['chat', '-p', ASK, '--no-trust'], { cwd: home.path });
    expect(keptBy()).toEqual([]);
    const asked = await home.run(['chat', '-p', ASK], { cwd: home.path });
    expect([asked.status, keptBy()]).toEqual([2, []]);
    await home.run(['chat', '-p', ASK, '--trust'], { cwd: home.path });
    expect(keptBy()).toHaveLength(1);
  });
});
