import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { EXAMPLES, printedBy } from '../helpers/example.js';
import type { Ran } from '../helpers/program.js';
import { Home } from '../helpers/program.js';

const FOLDER = join(EXAMPLES, 'research');
const QUESTIONS = 'Who grows tea?; What does tea cost?; How is tea taxed?';

interface Waiting {
  readonly id: string;
}

function run(home: Home, args: readonly string[]): Promise<Ran> {
  return home.run(args, { env: { PURCHASES: purchases(home) } });
}

function purchases(home: Home): string {
  return join(home.path, 'purchases.txt');
}

function bought(home: Home): readonly string[] {
  return existsSync(purchases(home)) ? readFileSync(purchases(home), 'utf8').trim().split('\n') : [];
}

/** How often something happened, by what and where. */
function counts(home: Home, type: string): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  const text = readFileSync(join(home.sessions, home.id, 'journal.jsonl'), 'utf8');
  for (const line of text.trim().split('\n')) {
    const { event, scope = '' } = JSON.parse(line) as {
      event: { readonly type: string; readonly node?: string };
      scope?: string;
    };
    if (event.type !== type) continue;
    const place = [scope, event.node].filter(Boolean).join('/');
    found[place] = (found[place] ?? 0) + 1;
  }
  return found;
}

describe.concurrent('examples/research', () => {
  test.each(['flow.ts', 'flow.yaml'])(
    '%s: two branches wait on people, are answered by two processes in reverse order, and join once',
    async (flow) => {
      using home = new Home();
      const model = `script:${join(FOLDER, 'model.jsonl')}`;
      const begun = await run(home, ['run', join(FOLDER, flow), QUESTIONS, '--trust', '--model', model]);
      expect({ status: begun.status, bought: bought(home) }).toEqual({ status: 3, bought: [] });
      const { id } = home;
      const inbox = JSON.parse((await home.run(['inbox', '--json'])).stdout) as readonly Waiting[];
      expect(inbox).toMatchObject([
        { source: { name: 'buy_article' }, path: 'research@1/1/item@1' },
        { source: { name: 'buy_article' }, path: 'research@1/2/item@1' },
      ]);
      const before = { settled: counts(home, 'node-settled'), replies: counts(home, 'message-added') };
      expect(before.settled).toEqual({ plan: 1, 'research@1/0/item': 1 });

      const [first, second] = inbox.map((waiting) => waiting.id);
      const late = await home.run(['answer', id, '--digest', home.digest(second), 'y']);
      expect({ status: late.status, open: late.stderr.includes(`still open: ${first!}`) }).toEqual({
        status: 3,
        open: true,
      });
      expect((await home.run(['answer', id, '--digest', home.digest(first), 'y'])).status).toBe(0);

      // The merge is shown to a person before it counts.
      expect((await run(home, ['resume', id])).status).toBe(3);
      const [gate] = JSON.parse((await home.run(['inbox', '--json'])).stdout) as readonly Waiting[];
      expect(gate).toMatchObject({ kind: 'gate' });
      expect((await home.run(['answer', id, 'y', '--digest', home.digest(gate?.id)])).status).toBe(0);
      const { status, stdout } = await run(home, ['resume', id]);
      expect({ status, stdout, bought: [...bought(home)].sort() }).toEqual({
        status: 0,
        stdout: printedBy('research'),
        bought: ['Tea prices', 'Tea taxes'],
      });
      expect(counts(home, 'node-settled')).toEqual({
        plan: 1,
        'research@1/0/item': 1,
        'research@1/1/item': 1,
        'research@1/2/item': 1,
        research: 1,
        report: 1,
      });
      expect(counts(home, 'message-added')['research@1/0/item@1']).toBe(
        before.replies['research@1/0/item@1'],
      );
    },
  );
});
