import type { Interrupt, RunEnd, SessionEvent, TransientEvent, Usage } from '../core/index.js';
import type { Attributes, StatusCode, Tracer, TraceSpan } from './tracer.js';

/** Options for `traceRun`. */
export interface TraceOptions {
  readonly tracer: Tracer;
  /**
   * Whether spans include messages, inputs and answers. Default: false, so spans include only names, counts
   * and outcomes (T-4).
   */
  readonly captureContent?: boolean;
  /**
   * Returns a context with the given span as the parent, in the form that the tracer expects. For
   * OpenTelemetry: `(span) => trace.setSpan(context.active(), span)`. Default: spans have no parents.
   */
  readonly within?: (span: TraceSpan) => unknown;
}

/**
 * Creates an observer that records a run as spans: `hitl.run`, `hitl.node`, `hitl.operation`, `hitl.edge`,
 * `hitl.model`, `hitl.tool`, and `hitl.interrupt` while a question is open in this process. When a run is
 * resumed, its events are not traced twice. When a run waits, its span ends with the outcome `waiting`, which
 * is neither an error nor a success (T-3). The resumed run gets a new span.
 */
export function traceRun(options: TraceOptions): (event: SessionEvent | TransientEvent) => void {
  const spans = new Spans(options);
  return (event) => {
    spans.see(event);
  };
}

const UNSET: StatusCode = 0;
const OK: StatusCode = 1;
const ERROR: StatusCode = 2;

class Spans {
  readonly #open = new Map<string, TraceSpan>();
  readonly #tracer: Tracer;
  readonly #captures: boolean;
  readonly #within: TraceOptions['within'];

  constructor({ tracer, captureContent = false, within }: TraceOptions) {
    this.#within = within;
    this.#tracer = tracer;
    this.#captures = captureContent;
  }

  see(event: SessionEvent | TransientEvent): void {
    const scope = event.scope ?? '';
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the rest makes no span
    switch (event.type) {
      case 'graph-started':
        this.#start(`run ${scope}`, 'hitl.run', { 'hitl.graph': event.name, 'hitl.path': scope });
        return;
      case 'node-entered':
        if (event.edge !== undefined)
          this.#moment('hitl.edge', OK, {
            'hitl.path': scope,
            'hitl.edge.target': event.node,
            'hitl.edge.index': event.edge,
            'hitl.edge.drew': event.drew === true,
          });
        return;
      case 'edge-failed':
        this.#moment('hitl.edge', ERROR, {
          'hitl.path': scope,
          'hitl.edge.source': event.node,
          'hitl.edge.target': event.to,
        });
        return;
      case 'node-started':
        this.#start(nodeKey(scope, event), 'hitl.node', {
          'hitl.node': event.node,
          'hitl.visit': event.visit,
          'hitl.attempt': event.attempt,
          'hitl.path': scope,
        });
        return;
      case 'node-settled':
        this.#end(nodeKey(scope, event), 'done', OK, this.#content('output', event.output));
        return;
      case 'node-failed':
        this.#end(nodeKey(scope, event), 'failed', ERROR, { 'hitl.error': event.error.code });
        return;
      case 'op-started':
        this.#start(operationKey(scope, event), 'hitl.operation', {
          'hitl.operation': event.key,
          'hitl.kind': event.kind,
          'hitl.path': nodePath(scope, event),
        });
        return;
      case 'op-settled':
        this.#end(operationKey(scope, event), 'done', OK, this.#content('output', event.output));
        return;
      case 'op-failed':
        this.#end(operationKey(scope, event), 'failed', ERROR, { 'hitl.error': event.error.code });
        return;
      case 'model-started':
        this.#start(`model ${scope}`, 'hitl.model', { 'hitl.attempt': event.attempt, 'hitl.path': scope });
        return;
      case 'message-added':
        if (event.message.role === 'model')
          this.#end(`model ${scope}`, 'done', OK, {
            ...(event.end !== undefined && { 'hitl.reply': event.end }),
            ...tokensOf(event.usage),
            ...this.#content('output', event.message.content),
          });
        return;
      case 'tool-started':
        this.#start(`tool ${scope} ${event.ref}`, 'hitl.tool', {
          'hitl.tool': event.name,
          'hitl.attempt': event.attempt,
          'hitl.path': scope,
          ...this.#content('input', event.input),
        });
        return;
      case 'tool-settled': {
        const { outcome, ref } = event;
        if (outcome.type === 'output')
          this.#end(`tool ${scope} ${ref}`, 'done', OK, this.#content('output', outcome.output));
        else this.#end(`tool ${scope} ${ref}`, 'failed', ERROR, { 'hitl.error': outcome.code });
        return;
      }
      case 'interrupt-raised':
        this.#wait(scope, event.interrupt);
        return;
      case 'interrupt-escalated':
        this.#end(`interrupt ${event.id}`, 'escalate', UNSET);
        this.#wait(scope, event.interrupt);
        return;
      case 'interrupt-resolved':
        this.#end(`interrupt ${event.id}`, event.resolution.action, UNSET);
        return;
      case 'run-ended':
        this.#endRun(scope, event.reason);
        return;
      default:
        return;
    }
  }

  /** Creates a span that ends at once. */
  #moment(name: string, code: StatusCode, attributes: Attributes): void {
    const span = this.#span(name, attributes, `moment ${String(attributes['hitl.path'])}`);
    span.setStatus({ code });
    span.end();
  }

  /**
   * Starts the span for an open question. Ends the span of the tool or node that asks, and all spans that
   * enclose it, with the outcome `waiting`.
   */
  #wait(scope: string, interrupt: Interrupt): void {
    const { source, kind, id, payload } = interrupt;
    this.#start(`interrupt ${id}`, 'hitl.interrupt', {
      'hitl.kind': kind,
      'hitl.path': scope,
      ...this.#content('payload', payload),
    });
    if (source.type === 'tool') this.#end(`tool ${scope} ${source.ref}`, 'waiting', UNSET);
    if (source.type === 'node') {
      const at = { node: source.nodeId, visit: source.visit };
      if (source.operation !== undefined)
        this.#end(operationKey(scope, { ...at, key: source.operation }), 'waiting', UNSET);
      this.#end(nodeKey(scope, at), 'waiting', UNSET);
    }
    for (const around of pathsTo(scope).toReversed())
      for (const what of ['operation', 'node']) this.#end(`${what} ${around}`, 'waiting', UNSET);
  }

  #endRun(scope: string, reason: RunEnd): void {
    const isError = reason.type === 'failed';
    const attributes: Attributes = isError ? { 'hitl.error': reason.error.code } : {};
    const isDone = reason.type === 'done' || reason.type === 'finished';
    this.#end(`model ${scope}`, reason.type, isError ? ERROR : UNSET, attributes); // it gave no reply
    this.#end(`run ${scope}`, reason.type, isError ? ERROR : isDone ? OK : UNSET, attributes);
  }

  #start(key: string, name: string, attributes: Attributes): void {
    this.#open.get(key)?.end(); // another attempt
    this.#open.set(key, this.#span(name, attributes, key));
  }

  /**
   * Creates a span under its parent. The parent of a run is its node, the parent of a node is its run, and a
   * tool can be in either.
   */
  #span(name: string, attributes: Attributes, key: string): TraceSpan {
    const parent = this.#within && this.#around(key, String(attributes['hitl.path'] ?? ''));
    return parent === undefined
      ? this.#tracer.startSpan(name, { attributes })
      : this.#tracer.startSpan(name, { attributes }, this.#within?.(parent));
  }

  /** Returns the innermost open span of a run, operation or node that is at the given path or encloses it. */
  #around(key: string, scope: string): TraceSpan | undefined {
    const around = [...pathsTo(scope).toReversed(), '']
      .flatMap((path) => [`run ${path}`, `operation ${path}`, `node ${path}`])
      .filter((one) => one !== key);
    return around.map((one) => this.#open.get(one)).find((span) => span !== undefined);
  }

  /**
   * Ends an open span. Does nothing if the span is not open, for example because another process did the
   * work.
   */
  #end(key: string, outcome: string, code: StatusCode, attributes: Attributes = {}): void {
    const span = this.#open.get(key);
    if (span === undefined) return;
    this.#open.delete(key);
    span.setAttributes({ ...attributes, 'hitl.status': outcome });
    span.setStatus({ code });
    span.end();
  }

  #content(what: string, value: unknown): Attributes {
    return this.#captures && value !== undefined ? { [`hitl.${what}`]: JSON.stringify(value) } : {};
  }
}

interface AtNode {
  readonly node: string;
  readonly visit: number;
}

function nodePath(scope: string, { node, visit }: AtNode): string {
  return `${scope === '' ? '' : `${scope}/`}${node}@${visit}`;
}

function nodeKey(scope: string, at: AtNode): string {
  return `node ${nodePath(scope, at)}`;
}

function operationKey(scope: string, at: AtNode & { readonly key: string }): string {
  return `operation ${nodePath(scope, at)}/${at.key}`;
}

/** Returns the token counts as attributes, named by OpenTelemetry's conventions for models. */
function tokensOf(usage: Usage | undefined): Attributes {
  if (usage === undefined) return {};
  return { 'gen_ai.usage.input_tokens': usage.inputTokens, 'gen_ai.usage.output_tokens': usage.outputTokens };
}

/**
 * Returns a path preceded by the paths that contain it: `a@1`, `a@1/left` and `a@1/left/b@2` for
 * `a@1/left/b@2`.
 */
function pathsTo(scope: string): readonly string[] {
  const parts = scope === '' ? [] : scope.split('/');
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}
