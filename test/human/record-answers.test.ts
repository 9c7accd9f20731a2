import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Actor, HumanChannel, Interrupt, Resolution } from '../../src/core/index.js';
import { createScriptedInput, noLines, parseAnswersFile, recordAnswers } from '../../src/human/index.js';
import { callInterrupt, interruptOf, question, stateWith, TRANSFER } from './open-interrupt.js';

const never = new AbortController().signal;
const STATE = stateWith(TRANSFER);
const PERSON: Actor = { type: 'person', name: 'ann', via: 'terminal' };

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hitl-record-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function answering(resolution: Resolution, by: Actor = PERSON, always = false): HumanChannel {
  return {
    interactive: true,
    ask: async ([first]) => ({
      type: 'answered',
      answer: { id: first!.id, digest: first!.digest, resolution, by },
      ...(always && { always }),
    }),
  };
}

describe('recorded answers', () => {
  test('are given again by `--answers`, to the same calls', async () => {
    const file = path.join(folder, 'answers.jsonl');
    const cases: readonly (readonly [Interrupt, Resolution, boolean])[] = [
      [callInterrupt({ to: 'A*', amount: 1 }), { action: 'restart', input: { to: 'B', amount: 2 } }, false],
      [callInterrupt({ to: 'C', amount: 3 }, { id: 'i2' }), { action: 'restart' }, true],
      [question('Which?', { type: 'string' }, 'i3'), { action: 'respond', output: '' }, false],
      [
        interruptOf({ kind: 'limit', source: { type: 'run' }, payload: { limit: 'turns' } }, 'i4'),
        { action: 'extend', by: 3 },
        false,
      ],
    ];
    for (const [index, [open, resolution, always]] of cases.entries()) {
      const one = await recordAnswers(
        answering(resolution, PERSON, always),
        path.join(folder, String(index)),
      );
      expect(one.interactive).toBe(true);
      await one.ask([open], STATE, never);
    }
    const parts = await Promise.all(
      cases.map((_case, index) => readFile(path.join(folder, String(index)), 'utf8')),
    );
    const answers = parseAnswersFile(parts.join(''), file).answers;
    const input = createScriptedInput({
      lines: noLines(),
      answers,
      onInterrupt: 'stop',
      strictAnswers: true,
      actorName: 'ann',
    });
    for (const [open, resolution, always] of cases) {
      expect(await input.channel.ask([open], STATE, never)).toMatchObject({
        type: 'answered',
        answer: { id: open.id, resolution },
        ...(always && { always }),
      });
    }
    expect(input.unusedAnswers()).toEqual([]);
  });

  test('hold what was said only, not what rules, flags and other files say, and no secret', async () => {
    const file = path.join(folder, 'answers.jsonl');
    const ruled = await recordAnswers(answering({ action: 'restart' }, { type: 'rule', rule: 'r' }), file);
    await ruled.ask([callInterrupt({})], STATE, never);
    const given = { type: 'script', name: 'ann', place: 'p' } as const;
    for (const via of ['flag', 'answers'] as const) {
      const filed = await recordAnswers(answering({ action: 'restart' }, { ...given, via }), file);
      await filed.ask([callInterrupt({})], STATE, never);
    }
    const secret = await recordAnswers(answering({ action: 'respond', output: 'hunter2' }), file);
    await secret.ask([question('Password?', { type: 'string', format: 'password' })], STATE, never);
    const passed = { action: 'restart', metadata: { token: 'hunter2' } } as const;
    await (await recordAnswers(answering(passed), file)).ask([callInterrupt({})], STATE, never);
    const schema = { type: 'object', properties: { token: { type: 'string', writeOnly: true } } };
    const form = await recordAnswers(answering({ action: 'respond', output: { token: 'hunter2' } }), file);
    await form.ask([question('Login?', schema)], STATE, never);
    expect(await readFile(file, 'utf8')).toBe('');
  });

  test('hold what was said on stdin', async () => {
    const file = path.join(folder, 'answers.jsonl');
    const by = { type: 'script', name: 'ann', via: 'stdin', place: 'line 2' } as const;
    const piped = await recordAnswers(answering({ action: 'restart' }, by), file);
    await piped.ask([callInterrupt({ to: 'A' })], STATE, never);
    expect(parseAnswersFile(await readFile(file, 'utf8'), file).answers).toMatchObject([
      { match: { input: { to: 'A' } }, answer: { action: 'restart' } },
    ]);
  });

  test('are readable by their owner only', async () => {
    const file = path.join(folder, 'answers.jsonl');
    await recordAnswers(answering({ action: 'restart' }), file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('say where they cannot be written', async () => {
    await expect(
      recordAnswers(answering({ action: 'restart' }), path.join(folder, 'no', 'where')),
    ).rejects.toMatchObject({
      code: 'SAVE_FAILED',
    });
  });
});
