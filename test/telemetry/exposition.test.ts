import { describe, expect, test } from 'vitest';

import { textMeter } from '../../src/telemetry/index.js';

describe('numbers as Prometheus reads them', () => {
  test('have help, type, labels and values, and whatever stands in a label is escaped', () => {
    const meter = textMeter();
    const sent = meter.createCounter('hitl.deliveries', { description: 'What was\nsent.' });
    sent.add(1, { channel: 'a"b\\c\nd', outcome: 'sent' });
    sent.add(2, { channel: 'a"b\\c\nd', outcome: 'sent' });
    sent.add(0, { channel: 'ops', outcome: 'failed' });
    const gauge = { name: 'hitl_up', description: 'It is there.', samples: [{ value: 1 }] };
    expect(meter.text([gauge])).toBe(
      String.raw`# HELP hitl_deliveries_total What was\nsent.
# TYPE hitl_deliveries_total counter
hitl_deliveries_total{channel="a\"b\\c\nd",outcome="sent"} 3
hitl_deliveries_total{channel="ops",outcome="failed"} 0
# HELP hitl_up It is there.
# TYPE hitl_up gauge
hitl_up 1
`,
    );
  });

  test('count how long something took in buckets that grow', () => {
    const meter = textMeter();
    const took = meter.createHistogram('hitl.work.duration', { description: 'Work.', unit: 's' });
    took.record(0.05, { result: 'rests' });
    took.record(7, { result: 'rests' });
    took.record(1_000, { result: 'rests' });
    const lines = meter.text().split('\n');
    expect(lines.slice(0, 2)).toEqual([
      '# HELP hitl_work_duration_seconds Work.',
      '# TYPE hitl_work_duration_seconds histogram',
    ]);
    expect(lines.slice(2).map((line) => line.replace('hitl_work_duration_seconds', ''))).toEqual([
      '_bucket{result="rests",le="0.01"} 0',
      '_bucket{result="rests",le="0.05"} 1',
      '_bucket{result="rests",le="0.1"} 1',
      '_bucket{result="rests",le="0.5"} 1',
      '_bucket{result="rests",le="1"} 1',
      '_bucket{result="rests",le="5"} 1',
      '_bucket{result="rests",le="10"} 2',
      '_bucket{result="rests",le="30"} 2',
      '_bucket{result="rests",le="60"} 2',
      '_bucket{result="rests",le="300"} 2',
      '_bucket{result="rests",le="600"} 2',
      '_bucket{result="rests",le="+Inf"} 3',
      '_sum{result="rests"} 1007.05',
      '_count{result="rests"} 3',
      '',
    ]);
  });

  test('name what there is also before there is a number', () => {
    const meter = textMeter();
    meter.createCounter('hitl.claims', { description: 'Claims.' });
    const named = '# HELP hitl_claims_total Claims.\n# TYPE hitl_claims_total counter\n';
    expect(meter.text([{ name: 'x', description: 'X.', samples: [] }])).toBe(
      `${named}# HELP x X.\n# TYPE x gauge\n`,
    );
  });
});
