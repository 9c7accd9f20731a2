import { describe, expect, test } from 'vitest';

import { collectorIn } from '../../commands/telemetry/environment.js';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const HERE = { [ENDPOINT]: 'http://here:4318' };

describe('the collector that the environment names', () => {
  test('is the address of traces as it is, or the one of everything with their path', () => {
    const urls = [
      HERE,
      { [ENDPOINT]: 'https://here/otlp/' },
      { ...HERE, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://there/t' },
    ].map((env) => collectorIn(env));
    expect(urls).toMatchObject([
      { url: 'http://here:4318/v1/traces' },
      { url: 'https://here/otlp/v1/traces' },
      { url: 'http://there/t' },
    ]);
  });

  test.each([
    ['without an address', {}],
    ['with an empty one', { [ENDPOINT]: '' }],
    ['where telemetry is switched off', { ...HERE, OTEL_SDK_DISABLED: 'TRUE' }],
    ['where spans go nowhere', { ...HERE, OTEL_TRACES_EXPORTER: 'none' }],
  ])('is none %s', (_where, env) => {
    expect(collectorIn(env)).toEqual({ type: 'off' });
  });

  test.each([
    [{ [ENDPOINT]: 'here:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is not an http URL'],
    [
      { ...HERE, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but spans are sent over HTTP, usually to port 4318',
    ],
  ])('that cannot be used is told (%j)', (env, why) => {
    expect(collectorIn(env)).toEqual({ type: 'refused', why });
  });

  test('is told of the program and sent the headers that are named, and nothing that was said by itself', () => {
    expect(collectorIn({ ...HERE, OTEL_SERVICE_NAME: '' })).toMatchObject({
      resource: { 'service.name': 'hitl' },
      headers: {},
      captureContent: false,
      share: 1,
    });
    const whole = collectorIn({
      ...HERE,
      OTEL_SERVICE_NAME: 'deploys',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other, team=ops,broken',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20x,b=%zz',
      OTEL_EXPORTER_OTLP_TIMEOUT: '250',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      TRACEPARENT: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    });
    expect(whole).toEqual({
      type: 'otlp',
      url: 'http://here:4318/v1/traces',
      resource: { 'service.name': 'deploys', team: 'ops' },
      headers: { authorization: 'Bearer x', b: '%zz' },
      timeoutMs: 250,
      captureContent: true,
      share: 0.25,
      parent: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) },
    });
    expect(collectorIn({ ...HERE, OTEL_TRACES_SAMPLER: 'always_off' })).toMatchObject({ share: 0 });
  });
});
