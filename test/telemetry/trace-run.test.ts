import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { graph } from '../../src/graph/index.js';
import type { Attributes, Tracer } from '../../src/telemetry/index.js';
import { traceRun } from '../../src/telemetry/index.js';
import { requireApproval } from '../../src/tools/index.js';
import { calls, scene, tool } from '../engine/drive.js';
import { decide, driveGraph, startGraph } from '../graph/drive-graph.js';
import { projectFiles, root } from '../meta/project.js';

interface Ended {
  readonly name: string;
  readonly code?: number;
  readonly attributes: Attributes;
}

/** A tracer that keeps what has ended. */
function tracing(): { readonly tracer: Tracer; readonly ended: Ended[]; readonly open: () => number } {
  const ended: Ended[] = [];
  let begun = 0;
  const tracer: Tracer = {
    startSpan(name, { attributes = {} } = {}) {
      begun += 1;
      let all = attributes;
      let code: number | undefined;
      return {
        setAttributes: (more) => void (all = { ...all, ...more }),
        setStatus: (status) => void ({ code } = status),
        end: () => void ended.push({ name, attributes: all, ...(code !== undefined && { code }) }),
      };
    },
  };
  return { tracer, ended, open: () => begun - ended.length };
}

const send = requireApproval(tool('send', () => 'a secret output'));
const flow = graph('mail')
  .fn('a', () => 'a secret of a')
  .agent('w', { prompt: () => 'a secret prompt' })
  .edge('a', 'w')
  .end('w')
  .build();

function scripted() {
  return scene({ replies: [calls(['send', { to: 'a secret address' }]), 'a secret reply'], tools: [send] });
}

describe('the spans of a run', () => {
  test('case 97: a node that waits ends as waiting, no error and no success; then it goes on', async () => {
    const run = scripted();
    const { tracer, ended } = tracing();
    const first = await startGraph(flow, { run, observers: [traceRun({ tracer })] });
    const status = (one: Ended) => [one.name, one.attributes['hitl.status'], one.code];
    expect(ended.map(status)).toEqual([
      ['hitl.node', 'done', 1],
      ['hitl.edge', undefined, 1],
      ['hitl.model', 'done', 1],
      ['hitl.node', 'waiting', 0],
    ]);
    expect(ended.at(1)?.attributes).toEqual({
      'hitl.path': '',
      'hitl.edge.target': 'w',
      'hitl.edge.index': 0,
      'hitl.edge.drew': false,
    });
    expect(ended.at(3)?.attributes).toEqual({
      'hitl.node': 'w',
      'hitl.visit': 1,
      'hitl.attempt': 1,
      'hitl.path': '',
      'hitl.status': 'waiting',
    });
    const later = tracing();
    const observers = [traceRun({ tracer: later.tracer })];
    await driveGraph(decide(first.state, { action: 'restart' }), flow, { run, observers });
    expect(later.ended.map(status)).toEqual([
      ['hitl.tool', 'done', 1],
      ['hitl.model', 'done', 1],
    ]);
  });

  test('K12: stand below what is around them, as the tracer makes contexts', async () => {
    const begun: string[] = [];
    const tracer: Tracer = {
      startSpan(name, { attributes = {} } = {}, context = 'nothing') {
        const what = attributes['hitl.node'] ?? attributes['hitl.graph'] ?? attributes['hitl.edge.target'];
        const named = `${name} ${String(what ?? attributes['hitl.tool'] ?? attributes['hitl.kind'])}`;
        begun.push(`${named} < ${String(context)}`);
        return Object.assign({ named }, { setAttributes: Boolean, setStatus: Boolean, end: () => undefined });
      },
    };
    const within = (span: unknown) => (span as { readonly named: string }).named;
    const outer = graph('outer').subgraph('inside', { graph: flow }).end('inside').build();
    await startGraph(outer, { run: scripted(), observers: [traceRun({ tracer, within })] });
    expect(begun).toEqual([
      'hitl.run outer < nothing',
      'hitl.node inside < hitl.run outer',
      'hitl.run mail < hitl.node inside',
      'hitl.node a < hitl.run mail',
      'hitl.edge w < hitl.run mail',
      'hitl.node w < hitl.run mail',
      'hitl.model undefined < hitl.node w',
      'hitl.interrupt confirmation < hitl.node w',
    ]);
  });

  test('case 97: nothing that was said is in them, unless it is asked for', async () => {
    for (const captureContent of [false, true]) {
      const run = scripted();
      const { tracer, ended } = tracing();
      const observers = [traceRun({ tracer, captureContent })];
      const first = await startGraph(flow, { run, observers });
      await driveGraph(decide(first.state, { action: 'restart' }), flow, { run, observers });
      expect(JSON.stringify(ended).includes('secret')).toBe(captureContent);
    }
  });

  test('case 98: the package of OpenTelemetry is neither needed nor loaded', async () => {
    const sources = projectFiles().filter((file) => /^(?:src|sessions|commands|bin)\/.*\.ts$/u.test(file));
    const imports = sources.filter((file) =>
      /(?:from|import\() ?'@opentelemetry/u.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(imports).toEqual([]);
    const plain = await startGraph(flow, { run: scripted() });
    const traced = await startGraph(flow, {
      run: scripted(),
      observers: [traceRun({ tracer: tracing().tracer })],
    });
    expect(traced.events).toEqual(plain.events);
  });

  test('T-1: of a run that fails are ended, as errors, and none is left open', async () => {
    const fails = graph('bad')
      .fn('a', () => {
        throw new Error('a secret reason');
      })
      .end('a')
      .build();
    const { tracer, ended, open } = tracing();
    await startGraph(fails, { observers: [traceRun({ tracer })] });
    expect([ended, open()]).toEqual([
      [
        {
          name: 'hitl.node',
          code: 2,
          attributes: {
            'hitl.node': 'a',
            'hitl.visit': 1,
            'hitl.attempt': 1,
            'hitl.path': '',
            'hitl.error': 'NODE_FAILED',
            'hitl.status': 'failed',
          },
        },
        {
          name: 'hitl.run',
          code: 2,
          attributes: {
            'hitl.graph': 'bad',
            'hitl.path': '',
            'hitl.error': 'NODE_FAILED',
            'hitl.status': 'failed',
          },
        },
      ],
      0,
    ]);
  });
});
