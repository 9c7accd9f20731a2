// What a person reads outside of a session: what waits, all sessions, and who decided what.
// `npx vitest run test/screen/golden/lists -u` writes the screens anew: look at the difference before it is committed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createTwoFilesPatch } from 'diff';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Io } from '../../../commands/host/index.js';
import { inbox } from '../../../commands/inbox.js';
import { list } from '../../../commands/list.js';
import { why } from '../../../commands/why.js';
import { openStore } from '../../../commands/store/store.js';
import type { Interrupt, JsonValue, Resolution, SessionEvent } from '../../../src/core/index.js';
import {
  checkSessionId,
  columnsOf,
  interruptId,
  makeInterrupt,
  ROOT_PATH,
  toolRef,
} from '../../../src/core/index.js';
import { fakeClock } from '../../../src/testing/index.js';
import { calls, decides, modelSays, outputs, raises, starts, userSays } from '../../render/story.js';
import { Album } from './album.js';
import { sceneOf } from './scenes.js';

const SIZES = [80, 120, 60, 40] as const;
const START = Date.parse('2026-01-02T03:04:00.000Z');
const FROM_ELSEWHERE = { type: 'person', name: 'bob', via: 'answer' } as const;

const home = mkdtempSync(join(tmpdir(), 'hitl-lists-'));
const clock = fakeClock({ start: START });
const agent = { model: 'demo', tools: sceneOf('edit', 'short').state.agent?.tools ?? [] };

afterAll(() => {
  rmSync(home, { recursive: true });
});

const FLAGS = { color: true, input: false } as never;

function ioOf(columns: number | undefined, write: (text: string) => boolean): Io {
  const stream = { isTTY: columns !== undefined, ...(columns !== undefined && { columns }), write };
  return {
    ...{ stdin: process.stdin, stdout: stream, stderr: stream, pid: 1, clock, random: () => 0.5 },
    env: { HITL_HOME: home, TERM: 'xterm', NO_COLOR: '1' },
    ...{ cwd: '/home/ann/shop', home: '/home/ann' },
  } as unknown as Io;
}

/** A session with what was said and asked in it. */
async function has(
  id: string,
  { folder, events }: { readonly folder: string; readonly events: readonly SessionEvent[] },
): Promise<void> {
  const store = openStore(
    ioOf(undefined, () => true),
    FLAGS,
  );
  const init = { id: checkSessionId(id), agent, cwd: `/home/ann/${folder}` };
  await using session = await store.create(init);
  for (const event of events) {
    await clock.advance(60_000);
    await session.append([event]);
  }
}

type Called = readonly [ref: string, name: string, input: JsonValue];

function asked(id: string, [ref, name, input]: Called, payload: JsonValue): Interrupt {
  const draft = {
    kind: 'confirmation',
    source: { type: 'tool', ref: toolRef(ref), name, input, raisedBy: 'approval' },
    payload,
  } as const;
  return makeInterrupt(draft, {
    id: interruptId(id),
    path: ROOT_PATH,
    raisedAt: new Date(clock.now()).toISOString(),
  });
}

const COMMAND = { command: 'rm -rf build' };
const SANDBOX = { facts: { sandbox: 'can write in this folder, no network' } };
const OLD = Array.from({ length: 40 }, (_, at) => `const line${at} = ${at};`);
const NEW = OLD.map((line, at) => (at % 4 === 0 ? line.replace('const', 'let') : line));
const FILE = { path: 'src/cart.js', content: `${NEW.join('\n')}\n` };
const DIFF = createTwoFilesPatch('a/src/cart.js', 'b/src/cart.js', OLD.join('\n'), NEW.join('\n'));

/** Approves, rejects, edits, adds words, leaves something unread, and answers from elsewhere. */
async function hasDecided(): Promise<void> {
  const first = asked('i1', ['a', 'run_command', COMMAND], SANDBOX);
  const second = asked('i2', ['b', 'run_command', { command: 'git push' }], SANDBOX);
  const third = asked('i3', ['c', 'write_file', FILE], { diff: DIFF.replace(/^=+\n/u, '') });
  const edited: Resolution = { action: 'restart', input: { command: 'rm -rf build/tmp' } };
  await has('01kb2m3n4p5q6r70', {
    folder: 'shop',
    events: [
      userSays('Clean up the build and publish it'),
      modelSays(
        calls('a', 'run_command', COMMAND),
        calls('b', 'run_command', { command: 'git push' }),
        calls('c', 'write_file', FILE),
      ),
      raises(first),
      decides(first, edited),
      starts('a', 'run_command', { command: 'rm -rf build/tmp' }),
      outputs('a', { exitCode: 0, signal: null, output: '' }),
      raises(second),
      decides(second, { action: 'reject', reason: 'not before the tests' }, FROM_ELSEWHERE),
      raises(third),
      {
        ...(decides(third, { action: 'restart', note: 'run the tests next' }) as object),
        unread: { rows: 12, of: 30 },
      } as SessionEvent,
      starts('c', 'write_file', FILE),
      outputs('c', { bytes: 900 }),
      modelSays('Done.'),
      { type: 'run-ended', reason: { type: 'done' } },
    ],
  });
}

beforeAll(async () => {
  await hasDecided();
  const question = sceneOf('question', 'short').open[0]!;
  if (question.source.type !== 'tool') throw new Error('no tool asks');
  await has('01kb2m3n4p5q6r71', {
    folder: 'shop',
    events: [
      userSays('Fix the total in the cart, which is wrong as soon as there is a discount'),
      modelSays(calls('a', 'run_command', { command: 'npm test' }), calls('b', 'edit_file', FILE)),
      raises(asked('i1', ['a', 'run_command', { command: 'npm test' }], SANDBOX)),
      raises(asked('i2', ['b', 'edit_file', FILE], { diff: DIFF.replace(/^=+\n/u, '') })),
    ],
  });
  await has('01kb2m3n4p5q6r72', {
    folder: 'shop/packages/checkout/summary',
    events: [
      userSays('Run `npm publish`'),
      modelSays(calls('a', 'run_command', { command: 'npm publish' })),
      raises(asked('i1', ['a', 'run_command', { command: 'npm publish' }], SANDBOX)),
    ],
  });
  await has('01kb2m3n4p5q6r73', {
    folder: 'bank',
    events: [
      userSays('Release'),
      modelSays(calls('r1', 'ask_user', question.source.input)),
      raises({ ...question, raisedAt: new Date(clock.now()).toISOString() }),
    ],
  });
  await clock.advance(3 * 3_600_000);
});

async function screenOf(columns: number | undefined, run: (io: Io) => Promise<number>): Promise<string> {
  let text = '';
  const io = ioOf(columns, (more) => {
    text += more;
    return true;
  });
  expect(await run(io)).toBe(0);
  return text.trimEnd();
}

const COMMANDS: Readonly<Record<string, (io: Io) => Promise<number>>> = {
  inbox: (io) => inbox(io, FLAGS),
  list: (io) => list(io, FLAGS),
  why: (io) => why(io, '01kb2m3n4p5q6r70', undefined, FLAGS),
};

describe.for(Object.entries(COMMANDS))('hitl %s', ([name, run]) => {
  test('looks as it was looked at once, at every width', async () => {
    const album = new Album();
    for (const columns of SIZES) {
      const screen = await screenOf(columns, run);
      album.add(`${columns} columns`, screen);
      expect(screen.split('\n').filter((row) => columnsOf(row) > columns)).toEqual([]);
    }
    album.add('a pipe', await screenOf(undefined, run));
    await expect(album.text).toMatchFileSnapshot(`screens/hitl-${name}.txt`);
  });
});
