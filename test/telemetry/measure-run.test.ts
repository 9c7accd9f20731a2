import { describe, expect, test } from 'vitest';

import { graph } from '../../src/graph/index.js';
import type { Attributes, Meter } from '../../src/telemetry/index.js';
import { measureRun } from '../../src/telemetry/index.js';
import { requireApproval } from '../../src/tools/index.js';
import { calls, scene, tool } from '../engine/drive.js';
import { decide, driveGraph, startGraph } from '../graph/drive-graph.js';

/** A meter that keeps what it was told, a line each. */
function metering(): { readonly meter: Meter; readonly lines: string[] } {
  const lines: string[] = [];
  const tell =
    (name: string) =>
    (value: number, attributes: Attributes = {}): void =>
      void lines.push(`${name} ${value} ${Object.values(attributes).join(' ')}`);
  return {
    lines,
    meter: {
      createCounter: (name) => ({ add: tell(name) }),
      createHistogram: (name) => ({ record: tell(name) }),
    },
  };
}

describe('the metrics of a run', () => {
  test('K13: count nodes, tools, questions and answers, without what was said and without ids (T-4, T-5)', async () => {
    const send = requireApproval(tool('send', () => 'a secret output'));
    const flow = graph('mail')
      .agent('w', { prompt: () => 'a secret prompt' })
      .fn('b', () => {
        throw new Error('a secret error');
      })
      .edge('w', 'b')
      .end('b')
      .build();
    const run = scene({ replies: [calls(['send']), 'a secret reply'], tools: [send] });
    const { meter, lines } = metering();
    let at = 0;
    const observers = [measureRun({ meter, now: () => (at += 5) })];
    const first = await startGraph(flow, { run, observers });
    const answered = decide(first.state, { action: 'restart' });
    await driveGraph(answered, flow, { run, observers });
    expect(lines).toEqual([
      'hitl.interrupts 1 confirmation',
      'hitl.tool.executions 1 output send',
      'hitl.tool.latency 5 output send',
      'hitl.node.executions 1 done w',
      expect.stringMatching(/^hitl\.node\.latency \d+ done w$/) as string,
      'hitl.node.executions 1 failed b',
      'hitl.node.latency 5 failed b',
    ]);
    expect(lines.join()).not.toContain('secret');
  });

  test('say how long a person was waited for', () => {
    const { meter, lines } = metering();
    let at = 0;
    const see = measureRun({ meter, now: () => at });
    const interrupt = { id: 'i1', kind: 'gate' };
    see({ type: 'interrupt-raised', interrupt } as Parameters<typeof see>[0]);
    at = 1_500;
    see({ type: 'interrupt-resolved', id: 'i1', resolution: { action: 'continue' } } as Parameters<
      typeof see
    >[0]);
    see({ type: 'inbox-settled', id: 'm1', outcome: { type: 'applied' } });
    expect(lines).toEqual([
      'hitl.interrupts 1 gate',
      'hitl.answers 1 gate continue',
      'hitl.answer.latency 1500 gate continue',
      'hitl.messages 1 applied',
    ]);
  });
});
