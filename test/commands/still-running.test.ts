import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

import { expect, test } from 'vitest';

import { stillRunningLines } from '../../commands/running/still-running.js';
import type { Session } from '../../src/core/index.js';
import { modelSaid, requestPart, stateAfter, toolStarted, userSaid } from '../helpers/events.js';

test.skipIf(!existsSync('/proc/self/environ'))(
  'a command whose program was killed is told as still running, with its process, until it ends',
  async () => {
    const input = { argv: ['sleep', '60'] };
    const call = {
      ...toolStarted('run_command', 'r1', { input }),
      idempotencyKey: `test:${String(process.pid)}`,
    };
    const made = [userSaid('x'), modelSaid([requestPart('run_command', 'r1', input)]), call];
    const events = made.map((event, at) => ({ seq: at + 1, scope: '', event }));
    const session = {
      state: stateAfter(...made),
      async *events() {
        await Promise.resolve();
        yield* events;
      },
    } as unknown as Session;
    const child = spawn('sleep', ['60'], {
      env: { HITL_COMMAND: `test:${String(process.pid)}`, PATH: '/usr/bin:/bin' },
    });
    const ended = once(child, 'close');
    await once(child, 'spawn');
    expect(await stillRunningLines(session)).toEqual([
      `Run \`sleep 60\` is still running: process ${String(child.pid)} (sleep)`,
    ]);
    child.kill('SIGKILL');
    await ended;
    expect(await stillRunningLines(session)).toEqual([]);
  },
);
