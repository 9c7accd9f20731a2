import type {
  Actor,
  Call,
  Message,
  RunState,
  SessionEvent,
  SessionRule,
  ToolRef,
  TransientEvent,
  AgentFingerprint,
  RunEnd,
} from '../core/index.js';
import {
  limitName,
  actorName,
  escapeText,
  pathText,
  sessionRuleText,
  shownAnswer,
  stateAt,
  textOf,
  wrapWords,
  count,
  textTokens,
  TODO_TOOL,
} from '../core/index.js';
import { AcceptedEdits } from './accepted-edits.js';
import { decidedLines, voteLines } from './decision.js';
import { graphLines, operationLines } from './graph-lines.js';
import { HeldStarts } from './held-starts.js';
import { inboxLines } from './inbox-lines.js';
import { escalatedLine, waitingLine } from './interrupt-lines.js';
import { decisionOn, decisionOnCall } from './latest-decision.js';
import { isRetry, place } from './node-place.js';
import type { Drawing } from './status-line.js';
import type { Theme } from './theme.js';
import type { Thought } from './thought.js';
import { Thinking, thoughtLine } from './thought.js';
import { formatDuration } from './time.js';
import {
  foldedText,
  emittedLine,
  progressLine,
  providerLine,
  providerResultLine,
  settledLines,
  startedLine,
  unfoldedLines,
} from './tool-lines.js';
import { formatCount } from './usage-line.js';

export interface RunLinesOptions {
  readonly theme: Theme;
  readonly columns: () => number;
  /** Says why a run failed. Without it the caller does. */
  readonly showsFailures: boolean;
  /** Shows open questions; otherwise the channel that asks shows them. */
  readonly showsQuestions: boolean;
  /** Milliseconds since 1970; without it, call durations are not shown. */
  readonly now?: () => number;
  /** Key that expands folded text. */
  readonly unfold?: string;
}

/** Number of shown progress lines per call; the rest is counted. */
const PROGRESS_LINES = 10;

/** Describes the agent: model, number of tools, and approval mode. */
function agentWords({ model, tools, mode }: AgentFingerprint): string {
  return `${escapeText(model)}, ${tools.length} tools${mode === undefined ? '' : `, mode ${mode}`}`;
}

/**
 * Explains how a run ended, if needed. Shows a failure only if nothing else does, and without a cause that a
 * node's line already gave.
 */
function endedLines(
  reason: RunEnd,
  { theme, showsFailures }: { readonly theme: Theme; readonly showsFailures: boolean },
  told?: string,
): readonly string[] {
  switch (reason.type) {
    case 'done':
    case 'finished':
      return [];
    case 'aborted':
      return [theme.warning('[stopped]')];
    case 'limit':
      return [theme.warning(`stopped: ${limitName(reason.limit)} reached`)];
    case 'failed': {
      if (!showsFailures) return [];
      const { message, hint } = reason.error;
      const cause = `: ${told ?? ''}`;
      const words = told !== undefined && message.endsWith(cause) ? message.slice(0, -cause.length) : message;
      const error = `${theme.failure('error:')} ${escapeText(words)}`;
      return hint === undefined ? [error] : [error, `hint: ${escapeText(hint)}`];
    }
  }
}

/** `compacted 120 messages into a summary (about 900 tokens) · Ctrl-O shows it` */
function compactedLine(
  { from, to, summary }: SessionEvent & { readonly type: 'context-compacted' },
  unfold: string | undefined,
): string {
  const what = count(to - from, 'message');
  const how = unfold === undefined ? '' : ` · ${unfold} shows it`;
  return `compacted ${what} into a summary (about ${formatCount(textTokens(summary))} tokens)${how}`;
}

/** Describes how many turns of a chat remain after an undo. */
function rewoundWords({ turns }: RunState): string {
  if (turns === 0) return 'undone: back to the start';
  return `undone: ${count(turns, 'turn')} left`;
}

/** Formats the events of a run for people: which tool does what, and who decided what. */
export class RunLines {
  readonly #options: RunLinesOptions;
  readonly #progress = new Map<ToolRef, number>();
  readonly #started = new Map<ToolRef, number>();
  /** Starts not shown yet. */
  readonly #held = new HeldStarts();
  /** The call that the last line is about. */
  #told: ToolRef | undefined;
  #failure: string | undefined;
  #folded: string | undefined;
  readonly #accepted = new AcceptedEdits();
  readonly #thinking: Thinking;

  constructor(options: RunLinesOptions) {
    this.#options = options;
    this.#thinking = new Thinking(options.now ?? (() => 0));
  }

  /** Returns the last folded text as safe lines, once. */
  unfolded(): readonly string[] {
    const text = this.#folded;
    this.#folded = undefined;
    return text === undefined ? [] : unfoldedLines(text);
  }

  /** The lines for an event; `state` is the fold with it. */
  of(event: SessionEvent, state: RunState): readonly string[] {
    this.#accepted.note(event, state);
    const thought = event.scope === undefined ? this.#thought(this.#thinking.end()) : [];
    const held = this.#tellHeld(this.#held.before(event));
    const lines = this.#of(event, state);
    if (event.type === 'tool-started') {
      this.#started.set(event.ref, this.#options.now?.() ?? 0);
      if (lines.length === 0 && !this.#held.has(event.ref)) this.#told = event.ref;
    } else if (lines.length > 0) this.#told = undefined;
    return [...thought, ...held, ...lines];
  }

  /**
   * Summarizes finished reasoning in one line, with the key that shows it; nothing without a user present.
   */
  #thought(thought: Thought | undefined): readonly string[] {
    const { unfold, theme } = this.#options;
    if (thought === undefined || this.#options.showsQuestions) return [];
    this.#folded = thought.text;
    return [theme.dim(thoughtLine(thought, unfold))];
  }

  /** Returns the line of reasoning that ends where text starts. */
  beforeText(event: TransientEvent): readonly string[] {
    return this.#thought(this.#thinking.transient(event));
  }

  #tellHeld(starts: ReturnType<HeldStarts['take']>): readonly string[] {
    this.#told = starts.at(-1)?.ref ?? this.#told;
    return starts.map((start) => startedLine(start, this.#drawing()));
  }

  /** Shows a start at once, or holds it back if a user is present: the activity row shows it until then. */
  #starts(event: SessionEvent & { readonly type: 'tool-started' }, state: RunState): readonly string[] {
    if (this.#isToldAlready(event.ref, state) || this.#hasOwnPlace(event.name)) return [];
    if (this.#options.showsQuestions) return [startedLine(event, this.#drawing())];
    this.#held.hold(event);
    return [];
  }

  #of(event: SessionEvent, state: RunState): readonly string[] {
    const drawing = this.#drawing();
    const { theme } = drawing;
    switch (event.type) {
      case 'tool-started':
        return this.#starts(event, state);
      case 'tool-settled':
        return [...this.#hiddenProgress(event.ref), ...this.#settled(event, state)];
      case 'message-added':
        return event.scope === undefined ? [] : this.#said(event.scope, event.message);
      case 'interrupt-raised':
        return this.#options.showsQuestions ? [waitingLine(event.interrupt, drawing)] : [];
      case 'interrupt-escalated':
        return [escalatedLine(event.interrupt, drawing)];
      case 'interrupt-resolved': {
        const resolved = decisionOn(event.id, state);
        return resolved === undefined || this.#isToldByAsker(resolved) ? [] : decidedLines(resolved, drawing);
      }
      case 'vote-cast':
        return this.#isToldByAsker(event) ? [] : voteLines(event, state, drawing);
      case 'rule-added':
        return this.#isToldByAsker(event) ? [] : [theme.dim(allowedWords(event.rule))];
      case 'context-compacted':
        this.#folded = event.summary;
        return [theme.dim(compactedLine(event, this.#options.unfold))];
      case 'history-rewound':
        return [theme.warning(rewoundWords(state))];
      case 'approvals-voided':
        return [theme.dim('approved calls that have not run will ask again')];
      case 'approvals-kept':
        return [theme.dim(`${escapeText(actorName(event.by))} kept the approvals for the changed code`)];
      case 'rule-removed':
        return [theme.dim(`rule revoked: ${escapeText(event.tool)} asks again`)];
      case 'agent-changed':
        return event.changed === undefined
          ? [theme.dim(`continues with ${agentWords(event.agent)}`)]
          : event.changed.map((line) => theme.warning(`tools changed: ${escapeText(line)}`));
      case 'run-ended':
        // How a part of a workflow ended is told by its node.
        if (event.scope !== undefined) return [];
        return [...this.#accepted.lines(drawing), ...endedLines(event.reason, this.#options, this.#failure)];
      case 'history-imported':
      case 'session-created':
      case 'session-opened':
      case 'model-started':
      case 'graph-started':
      case 'node-entered':
      case 'step-started':
      case 'step-settled':
      case 'op-started':
      case 'run-continued':
        return [];
      case 'node-started':
        return [theme.dim(`▸ ${place(event)}${isRetry(event, state) ? ` (attempt ${event.attempt})` : ''}`)];
      case 'node-settled':
        return [theme.dim(`✓ ${place(event)}`)];
      case 'node-failed':
        this.#failure = event.error.message;
        return [theme.warning(`✗ ${place(event)}: ${escapeText(event.error.message)}`)];
      case 'op-settled':
        return operationLines(event, state, drawing);
      case 'op-failed':
        return [
          theme.warning(`✗ ${place(event)} › ${escapeText(event.key)}: ${escapeText(event.error.message)}`),
        ];
      case 'edge-failed':
      case 'conflict-found':
      case 'rewound':
      case 'graph-migrated':
        return graphLines(event, theme);
      case 'inbox-delivered':
      case 'inbox-dropped':
      case 'inbox-settled':
      case 'action-chosen':
        return inboxLines(event, theme);
    }
  }

  /** Formats transient events: tool progress and repeated model requests. */
  transient(event: TransientEvent): readonly string[] {
    return [...this.beforeText(event), ...this.#transient(event)];
  }

  #transient(event: TransientEvent): readonly string[] {
    if (event.type === 'tool-progress') return this.#progressed(event);
    if (event.type === 'provider-call') return [providerLine(event, this.#drawing())];
    if (event.type === 'provider-result') return [providerResultLine(event, this.#drawing())];
    if (event.type === 'emitted') return [emittedLine(event, this.#drawing())];
    if (event.type !== 'retrying') return [];
    const { theme } = this.#options;
    const wait = formatDuration(event.waitMs);
    return [theme.warning(`${escapeText(event.reason)}; retrying in ${wait} (attempt ${event.attempt})`)];
  }

  /**
   * Shows progress. With a user present, the activity row has the latest line, and the result the first ones.
   */
  #progressed(event: TransientEvent & { readonly type: 'tool-progress' }): readonly string[] {
    if (!this.#options.showsQuestions) return this.#tellHeld(this.#held.take(event.ref));
    const count = (this.#progress.get(event.ref) ?? 0) + 1;
    this.#progress.set(event.ref, count);
    return count <= PROGRESS_LINES ? [progressLine(event.name, event.text, this.#drawing())] : [];
  }

  /** Shows the text of an agent inside a node; its last message is the node's output. */
  #said(scope: string, message: Message): readonly string[] {
    const text = message.role === 'model' ? textOf(message).trim() : '';
    if (text === '') return [];
    const { theme } = this.#options;
    return [
      theme.dim(`message from ${escapeText(pathText(scope))}:`),
      ...text.split('\n').flatMap((line) => wrapWords(`  ${escapeText(line)}`, this.#options.columns() - 1)),
    ];
  }

  /** The channel that asked has already shown a local decision. */
  #isToldByAsker({ by }: { readonly by: Actor }): boolean {
    return !this.#options.showsQuestions && by.type === 'person' && by.via === 'terminal';
  }

  /** Whether the decision's line already names the call; a log also names the edited call. */
  #isToldAlready(ref: ToolRef, state: RunState): boolean {
    const resolved = decisionOnCall(ref, state);
    if (resolved?.resolution.action !== 'restart') return false;
    return resolved.resolution.input === undefined || !this.#options.showsQuestions;
  }

  /** Whether a terminal shows this call in its own place: the question of `ask_user`, the steps of `todo`. */
  #hasOwnPlace(name: string): boolean {
    return !this.#options.showsQuestions && (name === 'ask_user' || name === TODO_TOOL);
  }

  /** Shows a call's result. A result provided by a person is shown by its decision, without secrets. */
  #settled(event: SessionEvent & { readonly type: 'tool-settled' }, state: RunState): readonly string[] {
    const { ref, outcome } = event;
    const name = nameOf(ref, whereOf(event, state));
    const resolved = decisionOnCall(ref, state);
    const call = { name, tookMs: this.#took(ref), isTold: this.#told === ref, unfold: this.#options.unfold };
    // An answer that went to the body is not what the call gave.
    const isAnswer = resolved?.resolution.action === 'respond' && resolved.interrupt.kept === undefined;
    if (name === TODO_TOOL && outcome.type === 'output' && this.#hasOwnPlace(name)) return [];
    if (!isAnswer || outcome.type !== 'output') {
      this.#folded = foldedText(name, outcome) ?? this.#folded;
      return settledLines(call, outcome, this.#drawing());
    }
    if (this.#isToldByAsker(resolved)) return [];
    const output = shownAnswer(resolved.interrupt, outcome.output);
    return settledLines(call, { ...outcome, output }, this.#drawing());
  }

  #took(ref: ToolRef): number | undefined {
    const since = this.#started.get(ref);
    this.#started.delete(ref);
    return since === undefined ? undefined : (this.#options.now?.() ?? since) - since;
  }

  #drawing(): Drawing {
    return { theme: this.#options.theme, columns: this.#options.columns() };
  }

  #hiddenProgress(ref: ToolRef): readonly string[] {
    const hidden = (this.#progress.get(ref) ?? 0) - PROGRESS_LINES;
    this.#progress.delete(ref);
    return hidden > 0 ? [this.#options.theme.dim(`  (${hidden} more lines of progress)`)] : [];
  }
}

/** Returns the state of the run in which an event happened. */
function whereOf({ scope }: SessionEvent, state: RunState): RunState {
  return scope === undefined ? state : (stateAt(state, scope) ?? state);
}

function nameOf(ref: ToolRef, state: RunState): string {
  const known = (calls: readonly Call[] | undefined): Call | undefined =>
    calls?.find((call) => call.request.ref === ref);
  const call = known(state.open?.calls) ?? known(state.entries.at(-2)?.calls);
  return call?.request.name ?? ref;
}

/** Describes an `always` rule and its duration; ask rules still apply. */
function allowedWords(rule: SessionRule): string {
  const time = rule.until === undefined ? ' in this session' : '';
  return `allowed${time} (ask and deny rules still apply): ${escapeText(sessionRuleText(rule))}`;
}
