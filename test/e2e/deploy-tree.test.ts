import { join } from 'node:path';

import { expect, test } from 'vitest';

import { EXAMPLES } from '../helpers/example.js';
import { killAt } from '../helpers/kill-at.js';
import { Home, lines } from '../helpers/program.js';

const FLOW = join(EXAMPLES, 'deploy/flow.ts');
const ANSWERS = lines('{"version":"7"}', 'y', 'true', 'y');

/** The end of the first host of the second batch, of which the journal hears nothing. */
const DIES = ['before', 'op-settled', 4] as const;

/** What is another one each time, in as many columns. */
function masked(text: string, id: string): string {
  return text
    .replaceAll(id, 'm'.repeat(id.length))
    .replaceAll(/\b\d\d:\d\d:\d\d {2} *\d+ m?s\b/gu, '00:00:00    1 ms')
    .replaceAll(/\b\d\d:\d\d(?::\d\d)?\b/gu, (time) => time.replaceAll(/\d/gu, '0'))
    .replaceAll(/\b20\d\d-\d\d-\d\d\b/gu, '2026-01-01')
    .replaceAll(/\b((?:answered|continued) by )(?!stdin)[^\s<"]+/gu, '$1ann')
    .replaceAll(/--digest [0-9a-f]{8}/gu, '--digest 00000000');
}

test('N6, N11: a deployment that died is one tree in `show`, `--effects` and `graph`, and its question names the step and the host', async () => {
  using home = new Home();
  const cwd = home.work;
  const died = await home.run(['run', FLOW, '--trust', '--set', 'hosts=["a","b","c","d"]', '--quiet'], {
    input: ANSWERS,
    env: killAt(home, ...DIES),
    cwd,
  });
  expect(died.status).toBe(137);
  const { id } = home;
  const asked = await home.run(['resume', id, '--trust', '--quiet'], { cwd });
  expect(asked.status).toBe(3);
  const graph = ['graph', FLOW, '--session', id, '--trust'];
  const seen = [];
  for (const args of [['show', id], ['show', id, '--effects'], graph, [...graph, '--format', 'mermaid']]) {
    const { status, stdout, stderr } = await home.run(args, { cwd });
    expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
    seen.push(`$ hitl ${args.join(' ').replace(FLOW, 'flow.ts')}\n${stdout}`);
  }
  const shown = [`$ hitl resume ${id} --trust --quiet\n${asked.stderr}`, ...seen].join('\n');
  await expect(masked(shown, id)).toMatchFileSnapshot('golden/deploy-tree.txt');
});
