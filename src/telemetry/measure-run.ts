import type { SessionEvent, TransientEvent } from '../core/index.js';
import type { Meter } from './meter.js';

/** Options for `measureRun`. */
export interface MeasureOptions {
  readonly meter: Meter;
  /** Returns the current time in milliseconds, for measuring durations. The starting point is arbitrary. */
  readonly now: () => number;
}

/**
 * Creates an observer that counts a run's events: `hitl.node.executions` and `hitl.tool.executions` by
 * outcome and name, `hitl.node.latency` and `hitl.tool.latency`, `hitl.interrupts`, `hitl.answers` and
 * `hitl.answer.latency` by kind, and `hitl.messages` by outcome. The number of labels does not grow with the
 * number of sessions (T-5), and labels contain no content (T-4). When a run is resumed, its events are not
 * counted twice.
 */
export function measureRun({ meter, now }: MeasureOptions): (event: SessionEvent | TransientEvent) => void {
  const ms = { unit: 'ms' };
  const executions = {
    node: meter.createCounter('hitl.node.executions'),
    tool: meter.createCounter('hitl.tool.executions'),
  };
  const latency = {
    node: meter.createHistogram('hitl.node.latency', ms),
    tool: meter.createHistogram('hitl.tool.latency', ms),
  };
  const interrupts = meter.createCounter('hitl.interrupts');
  const answers = meter.createCounter('hitl.answers');
  const waited = meter.createHistogram('hitl.answer.latency', ms);
  const messages = meter.createCounter('hitl.messages');
  const begun = new Map<string, number>();
  const kinds = new Map<string, string>();
  const tools = new Map<string, string>();

  const begin = (key: string): void => void begun.set(key, now());
  const end = (what: 'node' | 'tool', key: string, outcome: string, name: string | undefined): void => {
    const labels = { 'hitl.outcome': outcome, ...(name !== undefined && { [`hitl.${what}`]: name }) };
    executions[what].add(1, labels);
    const from = begun.get(key);
    begun.delete(key);
    if (from !== undefined) latency[what].record(now() - from, labels);
  };

  return (event) => {
    const scope = event.scope ?? '';
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the rest is not counted
    switch (event.type) {
      case 'node-started':
        begin(`${scope}/${event.node}@${event.visit}`);
        return;
      case 'node-settled':
      case 'node-failed':
        end(
          'node',
          `${scope}/${event.node}@${event.visit}`,
          event.type === 'node-settled' ? 'done' : 'failed',
          event.node,
        );
        return;
      case 'tool-started':
        begin(`${scope} ${event.ref}`);
        tools.set(`${scope} ${event.ref}`, event.name);
        return;
      case 'tool-settled':
        end('tool', `${scope} ${event.ref}`, event.outcome.type, tools.get(`${scope} ${event.ref}`));
        tools.delete(`${scope} ${event.ref}`);
        return;
      case 'interrupt-escalated':
      case 'interrupt-raised': {
        const { id, kind } = event.interrupt;
        kinds.set(id, kind);
        begin(`interrupt ${id}`);
        interrupts.add(1, { 'hitl.kind': kind });
        return;
      }
      case 'interrupt-resolved': {
        const attributes = {
          'hitl.kind': kinds.get(event.id) ?? 'unknown',
          'hitl.action': event.resolution.action,
        };
        answers.add(1, attributes);
        const from = begun.get(`interrupt ${event.id}`);
        begun.delete(`interrupt ${event.id}`);
        kinds.delete(event.id);
        if (from !== undefined) waited.record(now() - from, attributes);
        return;
      }
      case 'inbox-settled':
        messages.add(1, { 'hitl.outcome': event.outcome.type });
        return;
      default:
        return;
    }
  };
}
