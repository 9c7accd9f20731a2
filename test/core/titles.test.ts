import { describe, expect, test } from 'vitest';

import type { InterruptKind, InterruptSource, JsonValue } from '../../src/core/index.js';
import { interruptId, makeInterrupt, ROOT_PATH, titleOf, toolRef } from '../../src/core/index.js';

const node: InterruptSource = { type: 'node', nodeId: 'healthy', visit: 2, phase: 'run' };

describe('the title of a command', () => {
  test.for<[JsonValue, readonly string[]]>([
    [{ command: 'ls' }, ['command']],
    [{ argv: ['ls'], writes: true, ask: true, network: true }, ['argv', 'writes', 'ask']],
  ])('of %j shows %j, and leaves out what its facts tell', ([input, shows]) => {
    const source: InterruptSource = {
      ...{ type: 'tool', name: 'run_command', ref: toolRef('r1'), raisedBy: 'approval' },
      ...{ input, restartable: true },
    };
    const interrupt = makeInterrupt(
      { kind: 'confirmation', source, payload: {} },
      { id: interruptId('i1'), path: ROOT_PATH, raisedAt: '' },
    );
    expect(titleOf(interrupt)).toMatchObject({ text: 'Run `ls`', shows });
  });
});

describe('the title of what a node asks', () => {
  test.for<[string, InterruptKind, JsonValue, string]>([
    ['is its question', 'question', { question: 'Is b healthy?' }, 'Is b healthy?'],
    ['is safe', 'question', { question: 'Is \u001b[2Jb healthy?' }, 'Is \\u{1B}[2Jb healthy?'],
    ['is its name where the question is long', 'question', { question: 'Is it? '.repeat(10) }, 'healthy'],
    ['is its name where the question has lines', 'question', { question: 'Publish?\ndraft' }, 'healthy'],
    ['is its name where there are no words', 'question', { state: {} }, 'healthy'],
    ['is its name at a gate', 'gate', { question: 'Is b healthy?' }, 'healthy'],
  ])('%s', ([, kind, payload, text]) => {
    const interrupt = makeInterrupt(
      { kind, source: node, payload },
      { id: interruptId('i1'), path: ROOT_PATH, raisedAt: '' },
    );
    expect(titleOf(interrupt)).toEqual({ text, lead: text, shows: [] });
  });
});
