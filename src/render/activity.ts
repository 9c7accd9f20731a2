import { latestWords } from './thought.js';
import { callTitleOf, count, escapeText, textTokens } from '../core/index.js';
import type { RunState, SessionEvent, ToolRef, TransientEvent } from '../core/index.js';

/** An operation that the run is waiting for. Times are in milliseconds since 1970. */
export interface Wait {
  /** One safe line. */
  readonly text: string;
  readonly since: number;
  /** Planned end of the wait. */
  readonly until?: number;
  /**
   * Whether a reviewer is deciding instead of the user. If the user stops the wait, only the review ends; the
   * question then goes to the user.
   */
  readonly asksUser?: boolean;
  /** Tokens that the model has written in this turn, as far as known. */
  readonly tokens?: number;
  /** Latest output lines, oldest first. Untrusted text. */
  readonly latest?: readonly string[];
}

/** Number of progress lines shown. */
const LATEST = 5;

/** Number of characters kept from the end of the model's reasoning, for display. */
const KEPT_THINKING = 500;

interface RunningTool {
  /** The tool's title, or `running` and the tool's name; safe for a terminal. */
  readonly text: string;
  /** Safe text. */
  readonly name: string;
  readonly since: number;
  /** Latest progress lines, oldest first. */
  readonly latest: readonly string[];
}

/** Tracks what a run is waiting for: the model or its tools. */
export class Activity {
  readonly #now: () => number;
  readonly #tools = new Map<ToolRef, RunningTool>();
  /** Running nodes, by path. */
  readonly #nodes = new Map<string, Wait>();
  #model: Wait | undefined;
  /** The end of the model's reasoning so far. */
  #thinking = '';
  /** Tokens in this turn's completed replies. */
  #tokens = 0;
  /** The streamed part of the current reply. */
  #reply = '';
  /** Safe text. */
  #modelName = 'the model';

  constructor(now: () => number) {
    this.#now = now;
  }

  event(event: SessionEvent, state: RunState): void {
    switch (event.type) {
      case 'model-started':
        this.#model = undefined;
        this.#thinking = '';
        this.#reply = '';
        this.#modelName = escapeText(state.agent?.model ?? 'the model');
        this.#modelDoes(`waiting for ${this.#modelName}`);
        break;
      case 'context-compacted':
      case 'reviewed':
        this.#model = undefined;
        break;
      case 'tool-started':
        this.#tools.set(event.ref, { ...namesOf(event), since: this.#now(), latest: [] });
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
        if (event.message.role === 'user' && event.scope === undefined) this.#tokens = 0;
        if (event.message.role === 'model')
          this.#tokens += event.usage?.outputTokens ?? textTokens(this.#reply);
        this.#reply = '';
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
      case 'file-noted':
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
        // What a node says is not shown as it comes.
        if (event.scope === undefined) this.#writes(event.text);
        else this.#model = undefined;
        break;
      case 'reasoning-delta':
        this.#reply += event.text;
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
        this.#modelDoes(`${escapeText(event.name)} of the ${event.by ?? 'provider'}`);
        break;
      case 'tool-progress': {
        const tool = this.#tools.get(event.ref);
        if (tool !== undefined)
          this.#tools.set(event.ref, { ...tool, latest: [...tool.latest, event.text].slice(-LATEST) });
        break;
      }
      case 'compacting':
        this.#model = undefined;
        this.#modelDoes(`compacting ${count(event.messages, 'message')}`);
        break;
      case 'reviewing':
        this.#model = undefined;
        this.#model = {
          text: `waiting for reviewer ${escapeText(event.name)}`,
          since: this.#now(),
          asksUser: true,
        };
        break;
      case 'restarted':
        this.#reply = '';
        break;
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
    const wait = this.#wait();
    const tokens = this.#tokens + textTokens(this.#reply);
    return wait === undefined || tokens === 0 ? wait : { ...wait, tokens };
  }

  #wait(): Wait | undefined {
    if (this.#tools.size === 0) return this.#model ?? [...this.#nodes.values()].at(-1);
    const running = [...this.#tools.values()];
    const since = Math.min(...running.map((tool) => tool.since));
    const [only] = running;
    if (only === undefined || running.length > 1)
      return { text: `running ${running.map(({ name }) => name).join(', ')}`, since };
    return { text: only.text, since, ...(only.latest.length > 0 && { latest: only.latest }) };
  }

  #writes(text: string): void {
    this.#reply += text;
    this.#modelDoes(this.#modelName);
  }

  /** Sets the model's activity, keeping the start time of the previous one. */
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
