// The conversation of a session, as a terminal tells it: what was said, each call with its decision, its change and its
// result. Everything from outside is escaped, stands behind an edge of ours, and has a limit; no heading is made of it.
import type {
  Activation,
  Call,
  Entry,
  FileBack,
  Interrupt,
  JsonValue,
  Message,
  Part,
  ResolvedInterrupt,
  RunEnd,
  RunState,
  SessionId,
  ToolOutcome,
} from '../../core/index.js';
import {
  activationId,
  activationsOf,
  assertNever,
  callTitleOf,
  columnsOf,
  count,
  escapeText,
  filesBackLine,
  isQuestion,
  limitName,
  mediaOf,
  mediaWords,
  membersOf,
  operationTree,
  pathText,
  plainLine,
  providerCallOf,
  providerResultOf,
  readDiff,
  rowText,
  sha256,
  shownAnswer,
  titleOf,
  treeRows,
} from '../../core/index.js';
import type { QuestionLine } from '../../human/index.js';
import {
  diffLines,
  oneLineOf,
  questionView,
  quotedLines,
  valueRows,
  writtenDiff,
} from '../../human/index.js';
import { shownResult } from '../../render/result-facts.js';
import { safeText } from '../../render/safe-text.js';
import type { Html } from './html.js';
import { html } from './html.js';
import { linesOf } from './lines.js';
import { prose } from './prose.js';
import { deciderText, headingOf, placeOf, shownTime } from './question-page.js';

/** Maximum number of messages per page. Earlier ones are on separate pages. */
const MOST_ENTRIES = 60;
/** Maximum number of characters per text, and of folded lines. */
const MOST_TEXT = 20_000;
const MOST_FOLDED = 400;
/** Number of lines to show from the end of a result, and number of rows of a change to show. */
const LAST_LINES = 3;
const CHANGE_ROWS = 10;
/** Maximum number of rows of a value to show without folding them. */
const VALUE_ROWS = 6;
const VALUE_LIMITS = { maxRows: 40, maxLines: 12, maxCharacters: 600 };
const NAME_COLUMNS = 60;
const TITLE_COLUMNS = 200;
const TREE_COLUMNS = 100;
/** Maximum width, in columns, of an answer to repeat in full in the line that reports the decision. */
const ANSWER_COLUMNS = 60;

/**
 * The position up to which a page already shows a conversation: the number of entries, and an ID for the last
 * one.
 */
export interface StoryPlace {
  readonly from: number;
  readonly base: string;
}

/** Returns the position after the last entry that can no longer change. */
export function endOf({ entries }: RunState): StoryPlace {
  return { from: entries.length, base: baseOf(entries, entries.length) };
}

/** Returns an ID for the message before a position. If it has changed, the conversation was rewound. */
function baseOf(entries: RunState['entries'], from: number): string {
  const last = from === 0 ? undefined : entries.at(from - 1);
  return last === undefined ? '' : sha256(JSON.stringify([from, last.message])).slice(0, 16);
}

/** The part of a conversation that a page requests. */
export interface WantedStory {
  /** Position up to which the page already shows the conversation. */
  readonly since?: StoryPlace;
  /** Number of the message before which this part ends, for viewing earlier messages. */
  readonly before?: number;
}

/** A part of a conversation, rendered. */
export interface Story {
  readonly entries: readonly Html[];
  /**
   * Everything that may still change: open calls, a workflow, and the end of the run. Absent when viewing
   * earlier messages.
   */
  readonly tail?: Html;
  /** Whether this part continues from the page's position. */
  readonly isRest: boolean;
  /** Number of the first message in this part; 0 if it is the session's first. */
  readonly first: number;
}

/**
 * Returns the part of a conversation before a position, everything new since a position, or the newest part.
 */
export function storyOf(session: SessionId, state: RunState, { since, before }: WantedStory = {}): Story {
  const { entries } = state;
  const writer = new StoryWriter(session, state, state.resolved.toArray());
  if (before !== undefined) {
    const end = Math.min(before, entries.length);
    const first = Math.max(0, end - MOST_ENTRIES);
    return { entries: writer.entries(first, end), isRest: false, first };
  }
  const isRest =
    since !== undefined &&
    since.from <= entries.length &&
    entries.length - since.from <= MOST_ENTRIES &&
    since.base === baseOf(entries, since.from);
  const first = isRest ? since.from : Math.max(0, entries.length - MOST_ENTRIES);
  return { entries: writer.entries(first, entries.length), tail: writer.tail(), isRest, first };
}

/** Renders the events at one path of a session. */
class StoryWriter {
  readonly #session: SessionId;
  readonly #state: RunState;
  /** Every decision in the session. */
  readonly #resolved: readonly ResolvedInterrupt[];
  readonly #path: string;
  readonly #decisions = new Map<string, ResolvedInterrupt[]>();

  constructor(session: SessionId, state: RunState, resolved: readonly ResolvedInterrupt[], path = '') {
    this.#session = session;
    this.#state = state;
    this.#resolved = resolved;
    this.#path = path;
    for (const one of resolved) {
      const { source, path: at } = one.interrupt;
      if (source.type !== 'tool' || at !== path) continue;
      this.#decisions.set(source.ref, [...(this.#decisions.get(source.ref) ?? []), one]);
    }
  }

  entries(first: number, end: number): readonly Html[] {
    const { entries } = this.#state;
    const written: Html[] = [];
    for (let at = first; at < end; at += 1) {
      const entry = entries.at(at);
      const before = at === 0 ? undefined : entries.at(at - 1);
      if (entry?.filesBack !== undefined) written.push(this.#filesBack(entry.filesBack));
      if (entry !== undefined) written.push(...this.#entry(entry, before));
    }
    return written;
  }

  tail(): Html {
    const { open, graph, asks, ended, entries, filesBack } = this.#state;
    const ofRun = this.#resolved.filter(
      ({ interrupt: { source, path } }) => source.type === 'run' && path === this.#path,
    );
    const nodes = graph === undefined ? [] : activationsOf(graph);
    const tree = graph && operationTree(graph, { resolved: this.#resolved });
    return html`${open && this.#entry(open, entries.at(-1))}${nodes.length > MOST_ENTRIES && html`<p class="dim">Last ${MOST_ENTRIES} of ${nodes.length} nodes.</p>`}${nodes
      .slice(-MOST_ENTRIES)
      .map((one) =>
        this.#activation(one, tree?.of(one)?.inside ?? []),
      )}${graph?.open && this.#waits(graph.open)}${ofRun.map(decisionRow)}${asks && this.#waits(asks)}${ended && endedRow(ended)}${filesBack && this.#filesBack(filesBack)}`;
  }

  #filesBack(files: readonly FileBack[]): Html {
    return html`<p class="dim">${filesBackLine(files, this.#state.cwd)}</p>`;
  }

  /** Renders everything at this path. Nested paths are not split into pages. */
  #whole(): Html {
    const { length } = this.#state.entries;
    const first = Math.max(0, length - MOST_ENTRIES);
    return html`${first > 0 && html`<p class="dim">Last ${MOST_ENTRIES} of ${length} messages.</p>`}${this.entries(first, length)}${this.tail()}`;
  }

  #entry(
    { message, calls = [] }: Pick<Entry, 'message' | 'calls'>,
    before: Entry | undefined,
  ): readonly Html[] {
    // Its responses are shown with the calls that they answer.
    if (message.role === 'tool' && before?.calls !== undefined) return [];
    const byRef = new Map(calls.map((call) => [call.request.ref, call]));
    const parts = joined(message.content).flatMap((part) => this.#part(part, byRef));
    if (parts.length === 0) return [];
    const isSame = message.role === 'model' && before?.message.role === 'tool';
    return [
      html`<div class="turn ${message.role}">
        <p class="${isSame ? 'by aloud' : 'by'}">${this.#speaker(message.role)}</p>
        ${parts}
      </div>`,
    ];
  }

  #speaker(role: Message['role']): string {
    return role === 'model' ? plainLine(this.#state.agent?.model ?? 'model', NAME_COLUMNS) : role;
  }

  #part(part: Part, calls: ReadonlyMap<string, Call>): readonly Html[] {
    switch (part.type) {
      case 'text':
        return part.text.trim() === '' ? [] : [prose(part.text)];
      case 'reasoning':
        return part.text.trim() === ''
          ? []
          : [
              html`<details class="thought">
                <summary>Reasoning</summary>
                ${prose(part.text)}
              </details>`,
            ];
      case 'media':
        return [html`<p class="dim">${mediaWords(part)}</p>`];
      case 'data':
        return providerRow(part.data);
      case 'tool-request': {
        const call = calls.get(part.ref);
        return [call === undefined ? bareCall(part.name, part.input) : this.#call(call)];
      }
      case 'tool-response':
        return [bareCall(part.name, part.output)];
      default:
        return assertNever(part);
    }
  }

  /** Renders a call from request to result. Its decisions and outcome are part of its block. */
  #call(call: Call): Html {
    const { request, input, state } = call;
    const decided = this.#decisions.get(request.ref) ?? [];
    const asked = state.status === 'interrupted' ? state.interrupt : decided.at(-1)?.interrupt;
    const title =
      (asked?.kind !== 'question' && asked !== undefined ? titleOf(asked).text : undefined) ??
      callTitleOf({
        name: request.name,
        input,
        ...(state.status === 'started' && state.title !== undefined && { title: state.title }),
      });
    const ran = state.status === 'settled' && state.outcome.type === 'output';
    const change = asked !== undefined && (ran || state.status !== 'settled') ? changeOf(asked) : [];
    return html`<div class="call ${markOf(call)}">
      <p class="head">
        <span class="mark" aria-hidden="true">${MARKS[markOf(call)]}</span
        ><span class="aloud">${SAID[markOf(call)]}</span
        ><b>${plainLine(title ?? request.name, TITLE_COLUMNS)}</b>
      </p>
      ${title === undefined && folded('Input', valueLines(input))}${decided.map(decisionRow)}${changeRows(change)}${this.#became(call, decided.at(-1))}
    </div>`;
  }

  #became({ request, state }: Call, decided: ResolvedInterrupt | undefined): Html {
    switch (state.status) {
      case 'ready':
        return html`<p class="dim">not started yet</p>`;
      case 'started':
        return html`<p class="dim">started ${escapeText(state.startedAt)}, not finished</p>`;
      case 'interrupted':
        return this.#waits(state.interrupt);
      case 'settled':
        return outcomeOf(request.name, state.outcome, decided);
      default:
        return assertNever(state);
    }
  }

  /** Renders an open interrupt: a link for a question, a description for a timer. */
  #waits(interrupt: Interrupt): Html {
    const text = oneLineOf(interrupt, TITLE_COLUMNS);
    if (!isQuestion(interrupt)) return html`<p class="dim">${text}</p>`;
    const asked = interrupt.kind === 'question' ? text : headingOf(questionView(interrupt, this.#state));
    return html`<p class="waits">
      <a class="next" href="${placeOf(this.#session, interrupt.id)}">Answer</a> ${asked}
    </p>`;
  }

  #activation(activation: Activation, rows: Parameters<typeof treeRows>[0]): Html {
    const { status, output, error, guidance, frames, operations, asks, open } = activation;
    const id = activationId(activation);
    const place = this.#path === '' ? id : `${this.#path}/${id}`;
    const decided = this.#resolved.filter(
      ({ interrupt: { source, path } }) =>
        source.type === 'node' &&
        path === this.#path &&
        source.nodeId === activation.node &&
        source.visit === activation.visit,
    );
    const inside = frames
      .entries()
      .map(([branch, state]) =>
        new StoryWriter(
          this.#session,
          state,
          this.#resolved,
          branch === '' ? place : `${place}/${branch}`,
        ).#whole(),
      );
    const waiting = [open, ...asks.map(({ interrupt, answer }) => (answer ? undefined : interrupt))];
    const tree = operations.size === 0 ? [] : treeRows(rows, { columns: TREE_COLUMNS }).map(rowText);
    return html`<div class="node">
      <p class="by">
        ${plainLine(pathText(place), NAME_COLUMNS)} <span class="dim">${STATUS[status] ?? status}</span>
      </p>
      ${tree.length > 0 && html`<div class="tree">${tree.slice(-MOST_FOLDED).join('\n')}</div>`}
      ${guidance.map((said) => html`<p class="dim">guidance: ${plainLine(said, TITLE_COLUMNS)}</p>`)}${[...inside]}${decided.map(decisionRow)}${waiting.flatMap((one) => (one === undefined ? [] : [this.#waits(one)]))}
      ${error !== undefined && html`<p class="failure">✗ ${plainLine(error.message, TITLE_COLUMNS)}</p>`}
      ${output !== undefined && folded('Output', valueLines(output.value))}
    </div>`;
  }
}

/** Descriptions of activation states whose names are not self-explanatory. */
const STATUS: Readonly<Partial<Record<Activation['status'], string>>> = {
  entered: 'not started yet',
  started: 'started, not finished',
  answered: 'result provided',
};

const MARKS = { done: '✓', failed: '✗', refused: '✗', waiting: '●', running: '…' } as const;
const SAID = {
  ...{ done: 'done: ', failed: 'failed: ', refused: 'not run: ' },
  ...{ waiting: 'waiting: ', running: 'running: ' },
} as const;

function markOf({ request, state }: Call): keyof typeof MARKS {
  switch (state.status) {
    case 'ready':
    case 'started':
      return 'running';
    case 'interrupted':
      return 'waiting';
    case 'settled': {
      const { outcome } = state;
      if (outcome.type === 'error') return isRefusal(outcome) ? 'refused' : 'failed';
      return shownResult(request.name, outcome.output).tellsFailure === true ? 'failed' : 'done';
    }
    default:
      return assertNever(state);
  }
}

/** Whether a call was rejected or cancelled and therefore did not run. */
function isRefusal({ code }: ToolOutcome & { readonly type: 'error' }): boolean {
  return code === 'rejected' || code === 'cancelled';
}

/** Renders the person who decided and the time. */
function decisionRow(resolved: ResolvedInterrupt): Html {
  const { resolvedAt } = resolved;
  return html`<p class="decided">
    ${deciderText(resolved)}
    ${resolvedAt !== undefined && html`<time datetime="${resolvedAt}">${shownTime(resolvedAt)}</time>`}
  </p>`;
}

/** Returns the file change that was shown with the question, as rows. */
function changeOf({ payload }: Interrupt): readonly QuestionLine[] {
  const { diff } = membersOf(payload);
  if (typeof diff !== 'string') return [];
  const read = readDiff(diff);
  return read === undefined
    ? writtenDiff(diff)
    : diffLines(read, { context: 1, isWhole: false, isFolded: false });
}

/** Renders a change. Only the first rows of a long change are shown; the rest is folded. */
function changeRows(rows: readonly QuestionLine[]): Html | undefined {
  if (rows.length === 0) return undefined;
  const more = rows.slice(CHANGE_ROWS);
  return html`${linesOf(rows.slice(0, CHANGE_ROWS))}${more.length > 0 && folded(count(more.length, 'more row'), more)}`;
}

function valueLines(value: JsonValue): readonly QuestionLine[] {
  return quotedLines('input', valueRows(value, VALUE_LIMITS).rows);
}

/** Renders the rows of a value. If there are more than a few, they are folded. */
function folded(name: string, rows: readonly QuestionLine[]): Html {
  if (rows.length <= VALUE_ROWS) return linesOf(rows);
  const left = rows.length - MOST_FOLDED;
  return html`<details>
    <summary>${name}</summary>
    ${linesOf(rows.slice(0, MOST_FOLDED))}${left > 0 && html`<p class="dim">${count(left, 'more row')}: <code>hitl show --full</code></p>`}
  </details>`;
}

/** Renders a call without state, from an imported history. */
function bareCall(name: string, value: JsonValue): Html {
  return html`<div class="call">
    <p class="head"><b>${plainLine(name, TITLE_COLUMNS)}</b></p>
    ${folded('Value', valueLines(value))}
  </div>`;
}

function providerRow(data: JsonValue): readonly Html[] {
  const call = providerCallOf(data);
  if (call !== undefined)
    return [
      html`<p class="dim">${plainLine(call.name, NAME_COLUMNS)} run by the provider</p>
        ${folded('Input', valueLines(call.input))}`,
    ];
  const result = providerResultOf(data);
  if (result === undefined) return [];
  const { name, facts, failed } = result;
  return [
    html`<p class="dim">
      ${failed ? '✗' : '✓'} ${plainLine(name, NAME_COLUMNS)} ${plainLine(facts, TITLE_COLUMNS)}
    </p>`,
  ];
}

/** Tools that return text from a file or page. For these, showing the line count is enough. */
const READERS = ['read_file', 'list_files', 'fetch_url'];

/**
 * Renders the result of a call. A result provided by the user is shown without secrets. A rejection is
 * described only by its decision.
 */
function outcomeOf(name: string, outcome: ToolOutcome, decided: ResolvedInterrupt | undefined): Html {
  if (outcome.type === 'error') {
    const isSaid = decided !== undefined && isRefusal(outcome);
    return isSaid
      ? html``
      : html`<p class="failure">${outcome.code.replaceAll('-', ' ')}</p>
          ${tailOf(outcome.message)}`;
  }
  const isAnswer = decided?.resolution.action === 'respond' && decided.interrupt.kept === undefined;
  if (isAnswer) {
    const lines = valueLines(shownAnswer(decided.interrupt, outcome.output));
    // A short one stands in its decision.
    const isSaid = lines.length === 1 && lines.every(({ text }) => columnsOf(text) <= ANSWER_COLUMNS);
    return isSaid ? html`` : linesOf(lines);
  }
  const { facts, text, rest } = shownResult(name, outcome.output);
  const isReader = READERS.includes(name) && text !== undefined;
  const told = [...facts, ...mediaOf(outcome)];
  return html`${told.length > 0 && html`<p class="dim">${told.join(' · ')}</p>`}${text !== undefined && tailOf(text, isReader ? 0 : LAST_LINES)}${!isReader && rest !== undefined && isTold(rest) && folded('Result', valueLines(rest))}`;
}

function isTold(rest: JsonValue): boolean {
  return rest !== null && (typeof rest !== 'object' || Object.keys(rest).length > 0);
}

function lineCount(text: string): number {
  return text.trimEnd().split('\n').length;
}

/** Renders the last lines of a text. The lines above them are folded and counted. */
function tailOf(text: string, shown = LAST_LINES): Html {
  const all = text.trimEnd();
  const kept = all.slice(-MOST_TEXT);
  const lines = kept.split('\n');
  const above = lines.slice(0, lines.length - shown).slice(-MOST_FOLDED);
  const total = lineCount(all) - Math.min(shown, lines.length);
  const last = shown === 0 ? [] : lines.slice(-shown);
  const isPart = above.length < total || kept.length < all.length;
  return html`${
    above.length > 0 &&
    html`<details>
      <summary>${count(total, 'line')}${shown > 0 && ' above'}</summary>
      ${isPart && html`<p class="dim">The last ${above.length}; all of them: <code>hitl show --full</code></p>`}
      <div class="output">${safeText(above.join('\n'))}</div>
    </details>`
  }${last.length > 0 && html`<div class="output">${safeText(last.join('\n'))}</div>`}`;
}

/** Renders how a run ended, if there is anything to report. */
function endedRow(reason: RunEnd): Html | undefined {
  switch (reason.type) {
    case 'done':
    case 'finished':
      return undefined;
    case 'aborted':
      return html`${reason.partial !== undefined && prose(reason.partial)}
        <p class="failure">stopped</p>`;
    case 'limit':
      return html`<p class="failure">stopped: ${limitName(reason.limit)} reached</p>`;
    case 'failed':
      return html`${reason.partial !== undefined && prose(reason.partial)}
        <p class="failure">failed: ${plainLine(reason.error.message, TITLE_COLUMNS)}</p>`;
    default:
      return assertNever(reason);
  }
}

/** Joins adjacent text parts, because a provider starts a new part at each citation. */
function joined(parts: readonly Part[]): readonly Part[] {
  const whole: Part[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      whole[whole.length - 1] = { type: 'text', text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}
