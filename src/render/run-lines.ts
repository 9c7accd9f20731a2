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
  /** Says what waits for an answer. Without it whoever asks does. */
  readonly showsQuestions: boolean;
  /** Milliseconds since 1970; without it nothing says how long a call took. */
  readonly now?: () => number;
  /** The key that shows the whole of a text of which the first lines are shown. */
  readonly unfold?: string;
}

/** Lines of progress of one call that are shown; the rest is counted. */
const PROGRESS_LINES = 10;

/** Says who goes on: the model, how many tools, and what is done without a question. */
function agentWords({ model, tools, mode }: AgentFingerprint): string {
  return `${escapeText(model)}, ${tools.length} tools${mode === undefined ? '' : `, mode ${mode}`}`;
}

/**
 * Says how a run ended, where there is anything to say of it; a failure only where nobody else says it, and without its
 * cause where that was told of a node already.
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

/** Tells how much of a chat is left after turns were undone. */
function rewoundWords({ turns }: RunState): string {
  if (turns === 0) return 'undone: back to the start';
  return `undone: ${count(turns, 'turn')} left`;
}

/** Turns what happens in a run into lines for a person: which tool does what, and who decided what. */
export class RunLines {
  readonly #options: RunLinesOptions;
  readonly #progress = new Map<ToolRef, number>();
  readonly #started = new Map<ToolRef, number>();
  /** The starts that are held back. */
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

  /** The whole of the text that was folded last, as safe lines; once. */
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

  /** Tells thinking that is over in one line, with the key that shows it; nothing where nobody sits. */
  #thought(thought: Thought | undefined): readonly string[] {
    const { unfold, theme } = this.#options;
    if (thought === undefined || this.#options.showsQuestions) return [];
    this.#folded = thought.text;
    return [theme.dim(thoughtLine(thought, unfold))];
  }

  /** The line for thinking that ends where text begins. */
  beforeText(event: TransientEvent): readonly string[] {
    return this.#thought(this.#thinking.transient(event));
  }

  #tellHeld(starts: ReturnType<HeldStarts['take']>): readonly string[] {
    this.#told = starts.at(-1)?.ref ?? this.#told;
    return starts.map((start) => startedLine(start, this.#drawing()));
  }

  /** A start is told where it happens, or held back where a person sits: the row of what runs says it until then. */
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

  /** The lines for what is not kept: progress of tools, and that the model is asked again. */
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

  /** Tells progress. Where somebody sits, the row of what runs tells the latest line, and the result the first ones. */
  #progressed(event: TransientEvent & { readonly type: 'tool-progress' }): readonly string[] {
    if (!this.#options.showsQuestions) return this.#tellHeld(this.#held.take(event.ref));
    const count = (this.#progress.get(event.ref) ?? 0) + 1;
    this.#progress.set(event.ref, count);
    return count <= PROGRESS_LINES ? [progressLine(event.name, event.text, this.#drawing())] : [];
  }

  /** Tells what an agent inside a node says; its last words are the output of the node. */
  #said(scope: string, message: Message): readonly string[] {
    const text = message.role === 'model' ? textOf(message).trim() : '';
    if (text === '') return [];
    const { theme } = this.#options;
    return [
      theme.dim(`message from ${escapeText(pathText(scope))}:`),
      ...text.split('\n').flatMap((line) => wrapWords(`  ${escapeText(line)}`, this.#options.columns() - 1)),
    ];
  }

  /** The person who decided here was told by whoever asked. */
  #isToldByAsker({ by }: { readonly by: Actor }): boolean {
    return !this.#options.showsQuestions && by.type === 'person' && by.via === 'terminal';
  }

  /** The line of its decision says which call it is; a log says, too, what it became by an edit. */
  #isToldAlready(ref: ToolRef, state: RunState): boolean {
    const resolved = decisionOnCall(ref, state);
    if (resolved?.resolution.action !== 'restart') return false;
    return resolved.resolution.input === undefined || !this.#options.showsQuestions;
  }

  /** Where a person sits, the question of a tool that does nothing else, and the model's steps, are shown in places of their own. */
  #hasOwnPlace(name: string): boolean {
    return !this.#options.showsQuestions && (name === 'ask_user' || name === TODO_TOOL);
  }

  /** Tells what a call gave; an answer of a person in its place is told by its decision, and never with its secrets. */
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

/** The state of what runs where an event happened. */
function whereOf({ scope }: SessionEvent, state: RunState): RunState {
  return scope === undefined ? state : (stateAt(state, scope) ?? state);
}

function nameOf(ref: ToolRef, state: RunState): string {
  const known = (calls: readonly Call[] | undefined): Call | undefined =>
    calls?.find((call) => call.request.ref === ref);
  const call = known(state.open?.calls) ?? known(state.entries.at(-2)?.calls);
  return call?.request.name ?? ref;
}

/** What an `always` allows, and for how long: a rule that asks is stronger. */
function allowedWords(rule: SessionRule): string {
  const time = rule.until === undefined ? ' in this session' : '';
  return `allowed${time} (ask and deny rules still apply): ${escapeText(sessionRuleText(rule))}`;
}
