import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { killAt } from '../helpers/kill-at.js';
import { killPoints } from '../helpers/kill-points.js';
import { Home, lines } from '../helpers/program.js';
import type { Shown } from '../helpers/publish-run.js';
import { ANSWERS, endOf, EXAMPLE, NOTE, published, REST, run, WHOLE } from '../helpers/publish-run.js';

describe.each([
  ['flow.ts', 0],
  ['flow.yaml', 1],
] as const)('%s that is killed', (file, first) => {
  const args = ['run', join(EXAMPLE, file), '--trust', ...REST];
  let points: readonly (readonly [type: string, nth: number])[] = [];

  beforeAll(async () => {
    using home = new Home();
    await run(home, args, lines(...ANSWERS));
    const seen = new Map<string, number>();
    const all = home.events().flatMap(({ type }) => {
      if (typeof type !== 'string' || !['interrupt-raised', 'node-started', 'tool-started'].includes(type))
        return [];
      seen.set(type, (seen.get(type) ?? 0) + 1);
      return [[type, seen.get(type) ?? 0] as const];
    });
    expect(all.length).toBeGreaterThanOrEqual(15);
    points = killPoints(all, 10, first);
  });

  test('at each question and in each node ends as one that is not, with each effect once', async () => {
    const ends: unknown[] = [];
    for (const [type, nth] of points) ends.push({ type, nth, ...(await dieAndGoOn(args, type, nth)) });
    expect(ends).toEqual(
      points.map(([type, nth]) => ({ type, nth, status: 0, published: [NOTE], end: WHOLE })),
    );
    expect(points.length).toBeGreaterThanOrEqual(2);
  }, 400_000);
});

/** Dies after an event, says what became of what is in doubt, and goes on with the answers that are left. */
async function dieAndGoOn(args: readonly string[], type: string, nth: number) {
  using home = new Home();
  const died = await run(home, args, lines(...ANSWERS), killAt(home, 'after', type, nth));
  expect(died.status).toBe(137);
  const given = home.events().filter((event) => event['type'] === 'interrupt-resolved').length;
  const asked = await run(home, ['resume', home.id, '--json']);
  const { interrupts } = JSON.parse(asked.stdout) as Shown;
  const doubts = interrupts.filter(({ kind }) => kind === 'in-doubt');
  const facts = doubts.map(({ source }) =>
    source.nodeId === 'publish' && published(home).length > 0 ? `a "published: ${NOTE}"` : 'retry',
  );
  const { status } = await run(home, ['resume', home.id], lines(...facts, ...ANSWERS.slice(given)));
  return { status, published: published(home), end: endOf(home) };
}
