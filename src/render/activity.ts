import { latestWords } from './thought.js';
import { callTitleOf, count, escapeText, plainLine } from '../core/index.js';
import type { RunState, SessionEvent, ToolRef, TransientEvent } from '../core/index.js';

/** Something that is waited for. Times are milliseconds since 1970. */
export interface Wait {
  /** One safe line. */
  readonly text: string;
  readonly since: number;
  /** When the wait is planned to end. */
  readonly until?: number;
}

/** Width of a progress line, in columns. */
const LATEST_COLUMNS = 40;

/** Characters of reasoning kept to show its latest part. */
const KEPT_THINKING = 500;

interface RunningTool {
  /** Its title, or `running` and its name; safe for a terminal. */
  readonly text: string;
  /** Safe text. */
  readonly name: string;
  readonly since: number;
  /** Latest line of progress. */
  readonly latest?: string;
}

/** What a run is waiting for: the model, or its tools. */
export class Activity {
  readonly #now: () => number;
  readonly #tools = new Map<ToolRef, RunningTool>();
  /** Running nodes, by path. */
  readonly #nodes = new Map<string, Wait>();
  #model: Wait | undefined;
  /** End of the model's reasoning. */
  #thinking = '';

  constructor(now: () => number) {
    this.#now = now;
  }

  event(event: SessionEvent, state: RunState): void {
    switch (event.type) {
      case 'model-started':
        this.#model = undefined;
        this.#thinking = '';
        this.#modelDoes(`waiting for ${escapeText(state.agent?.model ?? 'the model')}`);
        break;
      case 'context-compacted':
        this.#model = undefined;
        break;
      case 'tool-started':
        this.#tools.set(event.ref, { ...namesOf(event), since: this.#now() });
        break;
      case 'tool-settled':
        this.#tools.delete(event.ref);
        break;
      case 'interrupt-raised':
        if (event.interrupt.source.type === 'tool') this.#tools.delete(event.interrupt.source.ref);
        if (event.interrupt.source.type === 'node')
          this.#nodes.delete(placeOf(event, event.interrupt.source.nodeId));
        break;
      case 'message-added':
        this.#model = undefined;
        break;
      case 'node-started':
        this.#nodes.set(placeOf(event, event.node), { text: escapeText(event.node), since: this.#now() });
        break;
      case 'node-settled':
      case 'node-failed':
        this.#nodes.delete(placeOf(event, event.node));
        break;
      case 'run-ended':
        this.#model = undefined;
        this.#tools.clear();
        if (event.scope === undefined) this.#nodes.clear();
        break;
      case 'session-created':
      case 'session-opened':
      case 'approvals-voided':
      case 'approvals-kept':
      case 'history-imported':
      case 'agent-changed':
      case 'interrupt-escalated':
      case 'interrupt-resolved':
      case 'vote-cast':
      case 'rule-added':
      case 'history-rewound':
      case 'rule-removed':
      case 'run-continued':
      case 'graph-started':
      case 'graph-migrated':
      case 'node-entered':
      case 'step-started':
      case 'step-settled':
      case 'op-started':
      case 'op-settled':
      case 'op-failed':
      case 'edge-failed':
      case 'conflict-found':
      case 'rewound':
      case 'inbox-delivered':
      case 'inbox-dropped':
      case 'inbox-settled':
      case 'action-chosen':
        break;
    }
  }

  transient(event: TransientEvent): void {
    switch (event.type) {
      case 'text-delta':
        this.#model = undefined;
        break;
      case 'reasoning-delta':
        this.#thinking = `${this.#thinking}${event.text}`.slice(-KEPT_THINKING);
        this.#modelDoes(`thinking: ${latestWords(this.#thinking)}`);
        break;
      case 'tool-input-delta':
        this.#modelDoes(`preparing ${escapeText(event.name)}`);
        break;
      case 'retrying': {
        const since = this.#now();
        this.#model = { text: `attempt ${event.attempt}`, since, until: since + event.waitMs };
        break;
      }
      case 'provider-result':
        this.#model = undefined;
        break;
      case 'provider-call':
        this.#modelDoes(`${escapeText(event.name)} of the provider`);
        break;
      case 'tool-progress': {
        const tool = this.#tools.get(event.ref);
        if (tool !== undefined) this.#tools.set(event.ref, { ...tool, latest: event.text });
        break;
      }
      case 'compacting':
        this.#model = undefined;
        this.#modelDoes(`compacting ${count(event.messages, 'message')}`);
        break;
      case 'restarted':
      case 'emitted':
      case 'interrupt-open':
        break;
    }
  }

  clear(): void {
    this.#model = undefined;
    this.#tools.clear();
    this.#nodes.clear();
  }

  /** Returns the current wait, if any. */
  current(): Wait | undefined {
    if (this.#tools.size === 0) return this.#model ?? [...this.#nodes.values()].at(-1);
    const running = [...this.#tools.values()];
    const since = Math.min(...running.map((tool) => tool.since));
    const [only] = running;
    if (only === undefined || running.length > 1)
      return { text: `running ${running.map(({ name }) => name).join(', ')}`, since };
    const told = only.latest === undefined ? '' : `: ${plainLine(only.latest, LATEST_COLUMNS)}`;
    return { text: `${only.text}${told}`, since };
  }

  /** Repeating the same text keeps its start time. */
  #modelDoes(text: string): void {
    this.#model = { text, since: this.#model?.since ?? this.#now() };
  }
}

function placeOf({ scope }: SessionEvent, node: string): string {
  return `${scope ?? ''}/${node}`;
}

type Started = Extract<SessionEvent, { readonly type: 'tool-started' }>;

function namesOf(started: Started): Pick<RunningTool, 'text' | 'name'> {
  const name = escapeText(started.name);
  const title = callTitleOf(started);
  return { name, text: title ?? `running ${name}` };
}
