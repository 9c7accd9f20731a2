import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { compiled } from '../helpers/compiled.js';
import { EXAMPLES } from '../helpers/example.js';
import type { KilledFlow, Person } from '../helpers/kill-loop.js';
import {
  SAMPLE,
  answered,
  hasBegun,
  hasRecord,
  killLoop,
  lastOf,
  linesOf,
  lookedUp,
  openIn,
} from '../helpers/kill-loop.js';
import { Home, ranBy } from '../helpers/program.js';

interface Played {
  readonly example: string;
  /** What it is started with. */
  readonly args: readonly string[];
  readonly person: Person;
}

/** A flow that is played with the program alone. */
function played({ example, args, person }: Played): Pick<KilledFlow, 'name' | 'live'> {
  const flow = join(EXAMPLES, example, 'flow.ts');
  return {
    name: example,
    live: (home, env) => {
      const words = hasBegun(home) ? ['resume', lastOf(home) ?? ''] : ['run', flow, ...args];
      return answered(home, [...words, '--trust'], person, env);
    },
  };
}

const DEPLOY: KilledFlow = {
  acts: ['deploy', 'roll back'],
  ...played({
    example: 'deploy',
    args: ['--set', 'hosts=["a","b","c","d"]'],
    person: ({ kind, payload }, home) => {
      const { question = '', step = '', of = '' } = payload as Readonly<Record<string, string>>;
      if (kind === 'gate') return 'y';
      if (kind === 'in-doubt') {
        const effect = step.startsWith('roll back') ? `roll back ${of}` : `deploy 7 to ${of}`;
        return lookedUp(linesOf(home, 'deployed.txt'), effect);
      }
      return question.includes('version') ? '{"version":"7"}' : String(!question.includes('c, d'));
    },
  }),
  // The hosts of a batch are at work at once, so their order is anybody's.
  effects: (home) => {
    const done = linesOf(home, 'deployed.txt');
    return [...done.slice(0, 2).toSorted(), ...done.slice(2, 4).toSorted(), ...done.slice(4)];
  },
};

const PAYS = compiled(join(EXAMPLES, 'expense/main.ts'));

/** A program with the library, in which several people decide: it goes on by itself when it is started again. */
const EXPENSE: KilledFlow = {
  name: 'expense',
  acts: ['pay'],
  live: (home, env) =>
    ranBy(
      spawn(process.execPath, [PAYS], {
        env: { ...home.env, SESSIONS: home.sessions, LEDGER: join(home.work, 'ledger.txt'), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 120_000,
      }),
    ),
  effects: (home) => linesOf(home, 'ledger.txt'),
};

const ONBOARDED: Readonly<Record<string, string>> = {
  account: 'account for Ada',
  video: 'video to Ada',
  laptop: 'laptop for Ada',
  help: 'help for Ada',
  badge: 'badge for Ada',
};

const mentor: Person = ({ kind, payload }, home) => {
  if (kind !== 'in-doubt') return 'false';
  const [step = ''] = String((payload as { step?: string }).step).split('#');
  return lookedUp(linesOf(home, 'onboarding.txt'), ONBOARDED[step] ?? '');
};

/** A month in which the code is deployed twice, with what happens outside when the journal says that it is time. */
const ONBOARDING: KilledFlow = {
  name: 'onboarding',
  acts: Object.keys(ONBOARDED),
  live: async (home, env) => {
    const file = join(home.work, 'onboarding.ts');
    const deploy = (code: string): void => {
      copyFileSync(join(EXAMPLES, 'onboarding', code), file);
    };
    const begun = (operation: string) => hasRecord(home, { type: 'op-started', key: `${operation}#1` });
    const goOn = (...more: string[]) =>
      answered(home, ['resume', lastOf(home) ?? '', '--trust', ...more], mentor, env);
    if (!hasBegun(home)) {
      deploy('v1.ts');
      const started = ['run', file, '--trust', '--set', 'name=Ada', '--set', 'day=50'];
      const ran = await answered(home, started, mentor, env);
      if (ran.status !== 3) return ran;
    } else if (!begun('contract')) {
      const ran = await goOn();
      if (ran.status !== 3) return ran;
    }
    const id = lastOf(home) ?? '';
    if (!begun('first week')) {
      const signed = ['--event', 'contract', '--id', 'signed', '--data', '{"signed":true}'];
      await home.run(['send', id, ...signed, '--quiet'], { cwd: home.work });
      deploy('v2.ts');
      const ran = await goOn();
      if (ran.status !== 3) return ran;
    }
    if (!hasRecord(home, { type: 'graph-migrated' })) {
      deploy('flow.ts');
      const move = ['migrate', id, '--trust'];
      const { stdout } = await home.run([...move, '--dry-run'], { cwd: home.work });
      const plan = /^plan (.+)$/mu.exec(stdout)?.[1] ?? '';
      const ran = await home.runAlone([...move, '--agree', plan], { cwd: home.work, env });
      if (ran.status !== 0) return ran;
    }
    return goOn('--wait');
  },
  effects: (home) => linesOf(home, 'onboarding.txt'),
};

const buyer: Person = ({ kind, source }, home) => {
  if (kind === 'question') return 'a blue one';
  if (kind === 'confirmation') return 'y';
  const done = linesOf(home, 'purchases.txt');
  if (source.type !== 'tool') return lookedUp(done, 'published 20 things');
  const { thing, price } = source.input as { thing: string; price: number };
  return lookedUp(done, `bought ${thing} for ${price}`, '"bought"');
};

/** Answers that are given in part: some in the process that asked, the others in the next one. */
const PURCHASES: KilledFlow = {
  name: 'purchases',
  acts: ['buy', 'publish'],
  live: async (home, env) => {
    const folder = join(EXAMPLES, 'purchases');
    const input = readFileSync(join(folder, 'things.json'), 'utf8');
    const model = `script:${join(folder, 'model.jsonl')}`;
    if (!hasBegun(home)) {
      const inPart: Person = (question, at) =>
        question.kind === 'in-doubt' || Number(question.id.slice(1)) % 3 !== 0
          ? buyer(question, at)
          : undefined;
      const args = ['run', join(folder, 'flow.ts'), '--set', `input=${input}`, '--model', model, '--trust'];
      const ran = await answered(home, args, inPart, env);
      if (ran.status !== 3) return ran;
    }
    return answered(home, ['resume', lastOf(home) ?? '', '--trust'], buyer, env);
  },
  effects: (home) => {
    const done = linesOf(home, 'purchases.txt');
    return [...done.slice(0, 5).toSorted(), ...done.slice(5)];
  },
};

const LABELS: KilledFlow = {
  acts: ['report'],
  ...played({
    example: 'labels',
    args: ['--set', 'items=60'],
    person: ({ kind, payload }, home) =>
      kind === 'in-doubt'
        ? lookedUp(linesOf(home, 'labels.txt'), LABELLED)
        : (payload as { question: string }).question.includes('item 1?')
          ? 'fine'
          : 'spam',
  }),
  effects: (home) => linesOf(home, 'labels.txt'),
};
const LABELLED = '60 items: 10 spam, 50 fine';

test.each([
  ['W31: the deploy workflow', DEPLOY],
  ['an expense that people vote on', EXPENSE],
  ['a month with two deployments', ONBOARDING],
  ['twenty agents that are answered in part', PURCHASES],
  ['labels of which some need a person', LABELS],
])(
  '%s, killed at each record, comes to the same end with each effect once',
  async (_title, flow) => {
    const { wrong, kills, doubts } = await killLoop(flow);
    expect(wrong).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(SAMPLE);
    expect(doubts).toBeGreaterThan(0);
  },
  3_600_000,
);

/** Milliseconds of processor time that a process of the program takes. */
async function timed(home: Home, args: readonly string[]) {
  const [module, file] = [join(home.path, 'time.mjs'), join(home.path, 'time.json')];
  writeFileSync(
    module,
    `import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.cpuUsage())));`,
  );
  const ran = await home.runAlone(args, { cwd: home.work, env: { NODE_OPTIONS: `--import=${module}` } });
  const { user, system } = JSON.parse(readFileSync(file, 'utf8')) as NodeJS.CpuUsage;
  return { ...ran, cpuMs: Math.round((user + system) / 1000) };
}

test('N18: 10,000 items, of which 300 are asked about once each, and their answers cost less than the items', async () => {
  using home = new Home();
  const args = ['run', join(EXAMPLES, 'labels/flow.ts'), '--set', 'items=10000', '--trust', '--quiet'];
  const begun = await timed(home, args);
  const open = openIn(home).toReversed(); // in another order than they were asked
  expect([begun.status, open.length]).toEqual([3, 300]);
  const said = open.map(({ id, payload }) => {
    const item = Number(/\d+/u.exec((payload as { question: string }).question)?.[0]);
    return ['--answer', `${id}=a "${item % 100 === 0 ? 'spam' : 'fine'}"`];
  });
  const answer = (from: number, to: number) =>
    timed(home, ['answer', home.id, '--quiet', ...said.slice(from, to).flat()]);
  const first = await answer(0, 150);
  const second = await answer(150, 300);
  const ended = await timed(home, ['resume', home.id, '--trust', '--quiet']);
  const told = '10000 items: 1486 spam, 8514 fine';
  expect([first.status, second.status, ended.status, ended.stdout]).toEqual([3, 0, 0, `${told}\n`]);
  expect(linesOf(home, 'labels.txt')).toEqual([told]);
  expect(home.events().filter((event) => event['type'] === 'interrupt-raised').length).toBe(300);
  const spent = [begun, first, second, ended].map(({ cpuMs }) => cpuMs);
  process.stdout.write(`10,000 items, 150 answers, 150 more, the end: ${spent.join(', ')} ms\n`);
  expect(second.cpuMs / first.cpuMs).toBeLessThan(1.5);
  expect(ended.cpuMs / begun.cpuMs).toBeLessThan(1.5);
}, 300_000);
