import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { killAt } from '../helpers/kill-at.js';
import { Home, lines } from '../helpers/program.js';

const FLOW = fileURLToPath(new URL('../../examples/deploy/flow.ts', import.meta.url));
const ARGS = ['run', FLOW, '--trust', '--set', 'hosts=["a","b"]', '--model', 'demo'];
/** The second host is sick: what was done is taken back. */
const ANSWERS = ['{"version":"7"}', 'true', 'false'];
const EFFECTS = ['deploy 7 to a', 'deploy 7 to b', 'roll back b', 'roll back a'];
const END = 'rolled back: b is sick';

interface Point {
  readonly place: 'before' | 'after';
  readonly type: string;
  readonly nth: number;
}

const logOf = (home: Home): string => join(home.path, 'deployed.txt');

function effectsIn(home: Home): readonly string[] {
  return existsSync(logOf(home)) ? readFileSync(logOf(home), 'utf8').trimEnd().split('\n') : [];
}

function played(
  home: Home,
  args: readonly string[],
  input: readonly string[],
  env: Record<string, string> = {},
) {
  return home.run(args, { input: lines(...input), env: { ...env, DEPLOY_LOG: logOf(home) } });
}

function endOf(home: Home): unknown {
  const settled = home.events().findLast(({ type }) => type === 'node-settled');
  return settled?.['output'];
}

/** Every record of an undisturbed run, to die after it; and before the end of an operation is kept, when it is done. */
async function pointsOfDeath(): Promise<readonly Point[]> {
  using home = new Home();
  expect((await played(home, ARGS, ANSWERS)).status).toBe(0);
  expect([effectsIn(home), endOf(home)]).toEqual([EFFECTS, END]);
  const seen = new Map<string, number>();
  return home.events().flatMap(({ type }): readonly Point[] => {
    if (typeof type !== 'string') return [];
    const nth = (seen.get(type) ?? 0) + 1;
    seen.set(type, nth);
    const after = { place: 'after', type, nth } as const;
    return type === 'op-settled' ? [{ ...after, place: 'before' }, after] : [after];
  });
}

/** Dies there, says what became of what is in doubt by what was done, and goes on with the answers that are left. */
async function dieAndGoOn({ place, type, nth }: Point) {
  using home = new Home();
  const died = await played(home, ARGS, ANSWERS, killAt(home, place, type, nth));
  if (home.events().every((event) => event['type'] !== 'graph-started'))
    return {
      status: (await played(home, ARGS, ANSWERS)).status,
      effects: effectsIn(home),
      end: END,
      doubts: 0,
    };
  const asked = await played(home, ['resume', home.id, '--trust', '--json'], []);
  const { interrupts = [] } = JSON.parse(asked.stdout) as { interrupts?: readonly { kind: string }[] };
  const doubts = interrupts.filter(({ kind }) => kind === 'in-doubt').length;
  const operation = home.events().findLast((event) => event['type'] === 'op-started');
  const was = `${String(operation?.['key']).startsWith('roll') ? 'roll back' : 'deploy 7 to'} ${String(operation?.['title'])}`;
  const words = effectsIn(home).includes(was) ? 'a null' : 'retry';
  const given = home.events().filter((event) => event['type'] === 'interrupt-resolved').length;
  const rest = [...Array.from({ length: doubts }, () => words), ...ANSWERS.slice(given)];
  const { status } = await played(home, ['resume', home.id, '--trust'], rest);
  return { status, effects: effectsIn(home), end: endOf(home), doubts, died: died.status };
}

test('W31: the built deploy workflow, killed at each record, comes to the same end with each effect once', async () => {
  const points = await pointsOfDeath();
  const wrong: unknown[] = [];
  let doubts = 0;
  for (const point of points) {
    const end = await dieAndGoOn(point);
    doubts += end.doubts;
    const isSame = end.end === END && end.effects.join() === EFFECTS.join();
    if (!isSame || (end.died !== undefined && end.died !== 137)) wrong.push({ ...point, ...end });
  }
  process.stdout.write(
    `deploy: ${points.length} deaths, ${wrong.length} other ends, ${doubts} doubts asked\n`,
  );
  expect(wrong).toEqual([]);
  expect(points.length).toBeGreaterThan(25);
  expect(doubts).toBe(EFFECTS.length * 2); // once started, and once done: in each case a person is asked
}, 900_000);
