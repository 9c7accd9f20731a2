import type {
  Actor,
  Message,
  ResolvedInterrupt,
  RunState,
  SessionEvent,
  SessionRule,
  StartedCall,
  ToolOutcome,
  ToolRef,
  TransientEvent,
  AgentFingerprint,
  RunEnd,
} from '../core/index.js';
import {
  appliedChange,
  callAt,
  callWordsOf,
  limitName,
  actorName,
  escapeText,
  isFoldedChange,
  lastCalls,
  pathText,
  ROOT_PATH,
  sessionRuleText,
  shownAnswer,
  stateAt,
  textOf,
  wrapWords,
  count,
  plainLine,
  textTokens,
  TODO_TOOL,
  whyPaused,
} from '../core/index.js';
import { changeSigns, decidedLines, voteLines } from './decision.js';
import { Folds } from './folds.js';
import { graphLines, operationLines } from './graph-lines.js';
import { HeldStarts } from './held-starts.js';
import type { Start } from './held-starts.js';
import { inboxLines } from './inbox-lines.js';
import { escalatedLine, waitingLine } from './interrupt-lines.js';
import { decisionOn, decisionOnCall } from './latest-decision.js';
import { isRetry, place } from './node-place.js';
import { Reads } from './reads.js';
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
} from './tool-lines.js';
import { formatCount } from './usage-line.js';

export interface RunLinesOptions {
  readonly theme: Theme;
  readonly columns: () => number;
  /** Whether to show why a run failed. If not, the caller shows it. */
  readonly showsFailures: boolean;
  /** Whether to show open questions. If not, the channel that asks them shows them. */
  readonly showsQuestions: boolean;
  /** Returns the time in milliseconds since 1970. If absent, call durations are not shown. */
  readonly now?: () => number;
  /** The key that shows shortened text in full. */
  readonly unfold?: string;
  /**
   * Returns the call that the last line on the screen belongs to, regardless of which code wrote the line.
   * Default: unknown.
   */
  readonly lastAbout?: () => string | undefined;
}

/** Maximum number of progress lines shown per call; further lines are only counted. */
const PROGRESS_LINES = 10;

/** Describes the agent: model, number of tools, approval mode, and effort. */
function agentWords(agent: AgentFingerprint): string {
  const { model, tools } = agent;
  const more = SETTINGS.map((key) => agent[key] !== undefined && `${key} ${agent[key]}`).filter(Boolean);
  return [escapeText(model), count(tools.length, 'tool'), ...more].join(', ');
}

/** Settings of an agent that a line names, in display order. */
const SETTINGS = ['mode', 'effort'] as const;

/**
 * Describes how the agent changed: `effort: high` if only a setting changed, and otherwise the agent.
 * @param before The agent before the change; absent if unknown.
 */
function agentChange(before: AgentFingerprint | undefined, now: AgentFingerprint): string {
  const changed = SETTINGS.filter((key) => before?.[key] !== now[key]);
  const isOther = before?.model !== now.model || before.server !== now.server;
  if (isOther || before.tools.length !== now.tools.length || changed.length === 0)
    return `continues with ${agentWords(now)}`;
  return changed.map((key) => `${key}: ${now[key] ?? 'default'}`).join(', ');
}

/**
 * Explains how a run ended, if necessary. A failure is shown only if nothing else shows it. Its cause is left
 * out if a node's line has already stated it.
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

/** Formats a compaction: `compacted 120 messages into a summary (about 900 tokens) · Ctrl-O shows it`. */
function compactedLine(
  { from, to, summary }: SessionEvent & { readonly type: 'context-compacted' },
  unfold: string | undefined,
): string {
  const what = count(to - from, 'message');
  const how = unfold === undefined ? '' : ` · ${unfold} shows it`;
  return `compacted ${what} into a summary (about ${formatCount(textTokens(summary))} tokens)${how}`;
}

/**
 * Formats a failed review, and a notice if reviews have stopped. The reviewer's reasons are shown with the
 * question.
 */
function reviewedLines(
  { outcome }: SessionEvent & { readonly type: 'reviewed' },
  { reviewStreak }: RunState,
  { dim, warning }: Theme,
): readonly string[] {
  const paused = whyPaused(reviewStreak);
  return [
    ...(outcome.type === 'failed' ? [dim(`not reviewed: ${plainLine(outcome.message, WHY_COLUMNS)}`)] : []),
    ...(paused === undefined
      ? []
      : [warning(`${paused}: hitl asks you about every call until you enter \`/mode auto\``)]),
  ];
}

/** Maximum width of a reviewer's message, in columns. */
const WHY_COLUMNS = 120;

/** Describes how many turns of a chat remain after an undo. */
function rewoundWords({ turns }: RunState): string {
  return turns === 0
    ? 'Went back to the start'
    : `Went back: ${count(turns, 'turn')} remain${turns === 1 ? 's' : ''}`;
}

/** Formats the events of a run for the user: the steps of each tool, and the author of each decision. */
export class RunLines {
  readonly #options: RunLinesOptions;
  readonly #progress = new Map<ToolRef, number>();
  readonly #started = new Map<string, Started>();
  /** Call starts that have not been shown yet. */
  readonly #held = new HeldStarts();
  readonly #reads = new Reads();
  #about: string | undefined;
  /** Calls whose decision has been shown, until they settle. */
  readonly #decided = new Set<string>();
  #failure: string | undefined;
  /** The agent, as of the last event. */
  #agent: AgentFingerprint | undefined;
  readonly #folds = new Folds();
  /** The node that started last. */
  #began: string | undefined;
  readonly #thinking: Thinking;

  constructor(options: RunLinesOptions) {
    this.#options = options;
    this.#thinking = new Thinking(options.now ?? (() => 0));
  }

  /** Texts that were shortened on the screen or not shown at all. */
  get folds(): Folds {
    return this.#folds;
  }

  /** The call that the last returned line belongs to. */
  get about(): string | undefined {
    return this.#about;
  }

  /** Returns the lines for an event. `state` already includes the event. */
  of(event: SessionEvent, state: RunState): readonly string[] {
    const thought = event.scope === undefined ? this.#thought(this.#thinking.end()) : [];
    this.#about = undefined;
    if (event.type === 'tool-settled' && this.#wasRead(event)) return thought;
    const held = this.#held.before(event);
    const before = [...thought, ...this.#startLines(held)];
    const above = this.#above(held.at(-1), before);
    const lines = this.#of(event, state, above);
    this.#agent = state.agent;
    if (event.type === 'tool-started')
      this.#started.set(placeOf(event, event.ref), { ...event, at: this.#options.now?.() ?? 0 });
    if (lines.length > 0) this.#about = decidedIn(event, state);
    else this.#about = held.length > 0 ? above : undefined;
    const isBelow = event.type === 'tool-settled' && above === placeOf(event, event.ref);
    const isTold = before.length > 0 || isBelow || (lines.length === 0 && event.type !== 'run-ended');
    return [...(isTold ? [] : this.pending()), ...before, ...lines];
  }

  /** Formats the starts of calls, preceded by the lines held back so far. */
  #startLines(starts: readonly Start[]): readonly string[] {
    const lines = starts.map((start) => startedLine(start, this.#drawing()));
    return lines.length === 0 ? [] : [...this.pending(), ...lines];
  }

  /** Returns the lines held back so far and marks them as shown. */
  pending(): readonly string[] {
    return this.#reads.take(this.#drawing());
  }

  /** The lines currently held back. They may still change before they are shown. */
  get held(): readonly string[] {
    return this.#reads.rows(this.#drawing());
  }

  /**
   * Returns the call that the line above belongs to: the call that just started or, if nothing is shown in
   * between, the call of the last line on the screen.
   */
  #above(start: Start | undefined, before: readonly string[]): string | undefined {
    if (start !== undefined) return placeOf(start, start.ref);
    return before.length === 0 ? this.#options.lastAbout?.() : undefined;
  }

  /**
   * Adds a file read to the combined row if a user is present and the start of the call has not been shown
   * yet. Returns whether it was added.
   */
  #wasRead(event: Settled): boolean {
    const started = this.#started.get(placeOf(event, event.ref));
    if (this.#options.showsQuestions || started === undefined || !this.#held.has(event.ref)) return false;
    if (!this.#reads.add(started, event.outcome)) return false;
    this.#held.take(event.ref);
    this.#started.delete(placeOf(event, event.ref));
    return true;
  }

  /**
   * Summarizes completed reasoning in one line that names the key to show it. Empty if no user is present.
   */
  #thought(thought: Thought | undefined): readonly string[] {
    const { unfold, theme } = this.#options;
    if (thought === undefined || this.#options.showsQuestions) return [];
    this.#folds.add('Thinking', thought.text);
    return [...this.pending(), theme.dim(thoughtLine(thought, unfold))];
  }

  /** Returns the lines to show before text starts: completed reasoning and lines held back. */
  beforeText(event: TransientEvent): readonly string[] {
    const thought = this.#thought(this.#thinking.transient(event));
    return event.type === 'text-delta' ? [...this.pending(), ...thought] : thought;
  }

  /**
   * Formats the start of a call. If a user is present, the start is held back instead, because the activity
   * row already shows the call.
   */
  #starts(event: SessionEvent & { readonly type: 'tool-started' }, state: RunState): readonly string[] {
    if (this.#isToldAlready(event.ref, state) || this.#hasOwnPlace(event.name)) return [];
    if (this.#options.showsQuestions) return [startedLine(event, this.#drawing())];
    this.#held.hold(event);
    return [];
  }

  #of(event: SessionEvent, state: RunState, above: string | undefined): readonly string[] {
    const drawing = this.#drawing();
    const { theme } = drawing;
    switch (event.type) {
      case 'tool-started':
        return this.#starts(event, state);
      case 'tool-settled':
        return [...this.#hiddenProgress(event.ref), ...this.#settled(event, state, above)];
      case 'message-added':
        return event.scope === undefined ? [] : this.#said(event.scope, event.message);
      case 'interrupt-raised':
        return this.#options.showsQuestions ? [waitingLine(event.interrupt, drawing)] : [];
      case 'interrupt-escalated':
        return [escalatedLine(event.interrupt, drawing)];
      case 'interrupt-resolved': {
        const resolved = decisionOn(event.id, state);
        if (resolved === undefined) return [];
        this.#foldChange(resolved);
        this.#noteDecided(resolved);
        return this.#isToldByAsker(resolved) ? [] : decidedLines(resolved, drawing, this.#options.unfold);
      }
      case 'vote-cast':
        return this.#isToldByAsker(event) ? [] : voteLines(event, state, drawing);
      case 'reviewed':
        return reviewedLines(event, state, theme);
      case 'rule-added':
        return this.#isToldByAsker(event) ? [] : [theme.dim(allowedWords(event.rule))];
      case 'context-compacted':
        this.#folds.add('Summary of older messages', event.summary);
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
          ? [theme.dim(agentChange(this.#agent, event.agent))]
          : event.changed.map((line) => theme.warning(`tools changed: ${escapeText(line)}`));
      case 'run-ended':
        // How a part of a workflow ended is told by its node.
        if (event.scope !== undefined) return [];
        return endedLines(event.reason, this.#options, this.#failure);
      case 'history-imported':
      case 'session-created':
      case 'session-opened':
      case 'model-started':
      case 'graph-started':
      case 'node-entered':
      case 'step-started':
      case 'step-settled':
      case 'op-started':
      case 'file-noted':
      case 'run-continued':
        return [];
      case 'node-started':
        return this.#begun(event, state);
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

  /**
   * Formats the start of a node. Empty for a node that continues after an answer, because its start has
   * already been shown.
   */
  #begun(event: SessionEvent & { readonly type: 'node-started' }, state: RunState): readonly string[] {
    const { dim } = this.#options.theme;
    const node = place(event);
    if (isRetry(event, state)) return [dim(`▸ ${node} (attempt ${event.attempt})`)];
    const isTold = this.#began === node;
    this.#began = node;
    return isTold ? [] : [dim(`▸ ${node}`)];
  }
  /** Returns the lines for events that are not journaled: tool progress and repeated model requests. */
  transient(event: TransientEvent): readonly string[] {
    const before = this.beforeText(event);
    const lines = this.#transient(event);
    this.#about = event.type === 'tool-progress' ? callAt(event.scope ?? ROOT_PATH, event.ref) : undefined;
    return lines.length > 0 ? [...before, ...this.pending(), ...lines] : before;
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
   * Formats tool progress. If a user is present, nothing is returned, because the activity row shows the
   * latest lines. A terminal without that row shows only the start of the call.
   */
  #progressed(event: TransientEvent & { readonly type: 'tool-progress' }): readonly string[] {
    if (!this.#options.showsQuestions)
      return this.#options.unfold === undefined ? this.#startLines(this.#held.take(event.ref)) : [];
    const count = (this.#progress.get(event.ref) ?? 0) + 1;
    this.#progress.set(event.ref, count);
    return count <= PROGRESS_LINES ? [progressLine(event.name, event.text, this.#drawing())] : [];
  }

  /** Formats a message from an agent inside a node. The agent's last message is the node's output. */
  #said(scope: string, message: Message): readonly string[] {
    const text = message.role === 'model' ? textOf(message).trim() : '';
    if (text === '') return [];
    const { theme } = this.#options;
    return [
      theme.dim(`message from ${escapeText(pathText(scope))}:`),
      ...text.split('\n').flatMap((line) => wrapWords(`  ${escapeText(line)}`, this.#options.columns() - 1)),
    ];
  }

  /** Whether the channel that asked has already shown the decision. */
  #isToldByAsker({ by }: { readonly by: Actor }): boolean {
    return !this.#options.showsQuestions && by.type === 'person' && by.via === 'terminal';
  }

  /** Whether the line of a decision already names the call. In a log, an edited call is named again. */
  #isToldAlready(ref: ToolRef, state: RunState): boolean {
    const resolved = decisionOnCall(ref, state);
    if (resolved?.resolution.action !== 'restart') return false;
    return resolved.resolution.input === undefined || !this.#options.showsQuestions;
  }

  /**
   * Whether the terminal shows this call elsewhere, for example as the question of `ask_user` or the steps of
   * `todo`.
   */
  #hasOwnPlace(name: string): boolean {
    return !this.#options.showsQuestions && (name === 'ask_user' || name === TODO_TOOL);
  }

  /**
   * Formats the result of a call. A result provided by the user is not shown again, because the decision has
   * already shown it (without secrets).
   */
  #settled(event: Settled, state: RunState, above: string | undefined): readonly string[] {
    const { ref, outcome } = event;
    const at = placeOf(event, ref);
    const started = this.#started.get(at);
    this.#started.delete(at);
    const asked = calledIn(ref, whereOf(event, state)) ?? { name: ref, input: null };
    const resolved = decisionOnCall(ref, state);
    const call = {
      name: asked.name,
      words: callWordsOf(started ?? titled(asked, resolved)),
      tookMs: started === undefined ? undefined : (this.#options.now?.() ?? started.at) - started.at,
      isTold: above === at,
      isShown: this.#decided.delete(at) && !this.#options.showsQuestions,
      unfold: this.#options.unfold,
    };
    // An answer that went to the body is not what the call gave.
    const isAnswer = resolved?.resolution.action === 'respond' && resolved.interrupt.kept === undefined;
    if (asked.name === TODO_TOOL && outcome.type === 'output' && this.#hasOwnPlace(asked.name)) return [];
    if (!isAnswer || outcome.type !== 'output') {
      this.#fold(call, outcome);
      return settledLines(call, outcome, this.#drawing());
    }
    if (this.#isToldByAsker(resolved)) return [];
    const output = shownAnswer(resolved.interrupt, outcome.output);
    return settledLines(call, { ...outcome, output }, this.#drawing());
  }

  #fold({ name, words }: { readonly name: string; readonly words: string }, outcome: ToolOutcome): void {
    const text = foldedText(name, outcome);
    if (text !== undefined) this.#folds.add(words, text);
  }

  /**
   * Records that the decision on a call was shown together with the call's changes. If the user answered on a
   * plain line, the changes were not shown, so nothing is recorded.
   */
  #noteDecided(resolved: ResolvedInterrupt): void {
    const { source, path } = resolved.interrupt;
    const isTold = this.#options.unfold !== undefined || !this.#isToldByAsker(resolved);
    if (source.type === 'tool' && isTold) this.#decided.add(callAt(path, source.ref));
  }

  /**
   * Keeps the full version of a change that was shown only in part below its decision, regardless of which
   * channel showed it.
   */
  #foldChange({ interrupt, resolution }: ResolvedInterrupt): void {
    const { theme, columns } = this.#drawing();
    const lines = appliedChange(interrupt, resolution);
    if (isFoldedChange(lines, columns, changeSigns(theme))) this.#folds.addChange(interrupt, lines);
  }

  #drawing(): Drawing {
    return { theme: this.#options.theme, columns: this.#options.columns() };
  }

  #hiddenProgress(ref: ToolRef): readonly string[] {
    const hidden = (this.#progress.get(ref) ?? 0) - PROGRESS_LINES;
    this.#progress.delete(ref);
    return hidden > 0 ? [this.#options.theme.dim(`  (${hidden} more progress lines)`)] : [];
  }
}

/** Returns the state of the run in which an event happened. */
function whereOf({ scope }: SessionEvent, state: RunState): RunState {
  return scope === undefined ? state : (stateAt(state, scope) ?? state);
}

/** Returns a call as the model requested it. */
function calledIn(ref: ToolRef, state: RunState): StartedCall | undefined {
  for (const calls of [state.open?.calls, lastCalls(state)]) {
    const call = calls?.find(({ request }) => request.ref === ref);
    if (call !== undefined) return { name: call.request.name, input: call.request.input };
  }
  return undefined;
}

/** Adds the title from the question to a call that did not start. */
function titled(call: StartedCall, resolved: ResolvedInterrupt | undefined): StartedCall {
  const source = resolved?.interrupt.source;
  const title = source?.type === 'tool' ? source.title : undefined;
  return title === undefined ? call : { ...call, title };
}

type Settled = SessionEvent & { readonly type: 'tool-settled' };

/** A running call and its start time. */
type Started = StartedCall & { readonly at: number };

function placeOf({ scope = ROOT_PATH }: SessionEvent, ref: ToolRef): string {
  return callAt(scope, ref);
}

/** Returns the call whose decision is shown in the lines for an event. */
function decidedIn(event: SessionEvent, state: RunState): string | undefined {
  const decided = event.type === 'interrupt-resolved' ? decisionOn(event.id, state)?.interrupt : undefined;
  return decided?.source.type === 'tool' ? callAt(decided.path, decided.source.ref) : undefined;
}

/** Describes an `always` rule and its duration, and notes that ask and deny rules still apply. */
function allowedWords(rule: SessionRule): string {
  const time = rule.until === undefined ? ' in this session' : '';
  return `allowed${time} (ask and deny rules still apply): ${escapeText(sessionRuleText(rule))}`;
}
