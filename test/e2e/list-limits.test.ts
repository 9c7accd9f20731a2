import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { systemClock } from '../../src/library/system-clock.js';
import { createFileStore } from '../../sessions/index.js';
import { agent, said, transferTurn } from '../sessions/sample-events.js';
import { Home } from '../helpers/program.js';

const home = new Home();
const QUESTIONS = 54;
const OTHERS = 2;

beforeAll(async () => {
  await home.run(['chat', '-p', 'Transfer 300 to DEF456']); // the first question, and the key
  const random = (size: number): Uint8Array => crypto.getRandomValues(new Uint8Array(size));
  const store = createFileStore({ ...home.kept, clock: systemClock, random });
  for (let n = 1; n < QUESTIONS + OTHERS; n += 1) {
    await using session = await store.create({ agent });
    await session.append(n < QUESTIONS ? transferTurn().slice(0, 5) : [said('Hello')]);
  }
});
afterAll(() => {
  home[Symbol.dispose]();
});

const parsed = (text: string): readonly unknown[] => JSON.parse(text) as readonly unknown[];

describe('a list that is longer than a person reads', () => {
  test.for([
    [['list'], 50, '… and 6 more: --all shows them'],
    [['list', '--limit', '3'], 3, '… and 53 more: --all shows them'],
    [['list', '--limit', '3', '--all'], 3, '… and 53 more'],
    [['list', '--state', 'waiting'], 50, '… and 4 more: --all shows them'],
    [['list', '--all'], 56, undefined],
    [['list', '--limit', '56'], 56, undefined],
    [['list', '--text', 'Transfer'], 50, '… and more: --all shows them'],
    [['inbox'], 50, '… and 4 more: --all shows them'],
    [['inbox', '--limit', '3'], 3, '… and 51 more: --all shows them'],
    [['inbox', '--limit', '54'], 54, undefined],
    [['inbox', '--all'], 54, undefined],
  ] as const)(
    '%j shows %d, as a table and as JSON, and says how many are left out',
    async ([args, rows, line]) => {
      const table = await home.run(args);
      expect([table.status, table.stdout.trimEnd().split('\n').length - 1]).toEqual([0, rows]);
      expect(table.stderr.split('\n').find((one) => one.startsWith('…'))).toBe(line);
      const json = await home.run([...args, '--json']);
      expect([json.status, parsed(json.stdout).length]).toEqual([0, rows]);
      expect(json.stderr).toBe(line === undefined ? '' : `${line}\n`);
      expect((await home.run([...args, '--quiet'])).stderr).toBe('');
    },
  );

  test('a question that is shown is answered, and the next one comes into sight', async () => {
    const [first, second] = parsed((await home.run(['inbox', '--limit', '2', '--json'])).stdout) as readonly {
      readonly session: string;
      readonly id: string;
    }[];
    const answered = await home.run(['answer', first?.session ?? '', 'n', '--interrupt', first?.id ?? '']);
    expect(answered.status).toBe(0);
    expect(parsed((await home.run(['inbox', '--limit', '1', '--json'])).stdout)).toMatchObject([second]);
  });
});
