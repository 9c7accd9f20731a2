import type { Attributes } from '../../src/telemetry/index.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The collector configured by the OpenTelemetry environment variables, or the reason it is not used. */
export type CollectorHere =
  | {
      readonly type: 'otlp';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly resource: Attributes;
      readonly timeoutMs?: number;
      readonly captureContent: boolean;
      /** Fraction of sessions to trace, from 0 to 1. */
      readonly share: number;
      /** `TRACEPARENT`: the parent span of this process. */
      readonly parent?: { readonly traceId: string; readonly spanId: string };
    }
  | { readonly type: 'off' }
  | { readonly type: 'refused'; readonly why: string };

/** Reads the environment variables that the OpenTelemetry specification defines for spans. */
export function collectorIn(env: Env): CollectorHere {
  if (isOn(env['OTEL_SDK_DISABLED']) || env['OTEL_TRACES_EXPORTER'] === 'none') return { type: 'off' };
  const url = urlIn(env);
  if (url === undefined) return { type: 'off' };
  if (!URL.canParse(url) || !/^https?:$/u.test(new URL(url).protocol))
    return { type: 'refused', why: 'OTEL_EXPORTER_OTLP_ENDPOINT is not an http URL' };
  if (ofTraces(env, 'PROTOCOL') === 'grpc')
    return {
      type: 'refused',
      why: 'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but spans are sent over HTTP, usually to port 4318',
    };
  const timeoutMs = Number(ofTraces(env, 'TIMEOUT'));
  const { OTEL_SERVICE_NAME: service = '' } = env;
  const parent = parentIn(env['TRACEPARENT']);
  return {
    type: 'otlp',
    url,
    headers: pairsIn(ofTraces(env, 'HEADERS')),
    resource: {
      'service.name': 'hitl',
      ...pairsIn(env['OTEL_RESOURCE_ATTRIBUTES']),
      ...(service !== '' && { 'service.name': service }),
    },
    captureContent: isOn(env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']),
    share: shareIn(env),
    ...(timeoutMs >= 1 && { timeoutMs }),
    ...(parent !== undefined && { parent }),
  };
}

/** Returns the variable for traces if it is set, otherwise the general one. */
function ofTraces(env: Env, name: 'HEADERS' | 'PROTOCOL' | 'TIMEOUT'): string | undefined {
  return env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] ?? env[`OTEL_EXPORTER_OTLP_${name}`];
}

/**
 * Returns the URL for traces unchanged if it is set, otherwise the general URL with the traces path appended.
 */
function urlIn(env: Env): string | undefined {
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? '';
  if (own !== '') return own;
  const all = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  return all === '' ? undefined : `${all.replace(/\/+$/u, '')}/v1/traces`;
}

function isOn(value: string | undefined): boolean {
  return value?.toLowerCase() === 'true';
}

/** Parses `key=value,other=value`. The values are percent-encoded. */
function pairsIn(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair): readonly (readonly [string, string])[] => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function shareIn(env: Env): number {
  const sampler = (env['OTEL_TRACES_SAMPLER'] ?? '').replace(/^parentbased_/u, '');
  if (sampler === 'always_off') return 0;
  const share = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? 1);
  return sampler === 'traceidratio' && share >= 0 && share <= 1 ? share : 1;
}

/** `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01` */
function parentIn(text = ''): { readonly traceId: string; readonly spanId: string } | undefined {
  const [, traceId, spanId] = /^00-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/u.exec(text) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
