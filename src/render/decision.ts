import {
  agreeing,
  appliedChange,
  assertNever,
  changeRows,
  decidedWords,
  doneOf,
  escapeText,
  isActor,
  neededBy,
  openInterrupt,
  shownAnswer,
  standingVotes,
  UNKNOWN_ACTOR,
  wrapWords,
} from '../core/index.js';
import type {
  Actor,
  ChangeSigns,
  Done,
  JsonValue,
  Person,
  Resolution,
  ResolvedInterrupt,
  RunState,
  SessionEvent,
} from '../core/index.js';
import { subjectOf } from './interrupt-lines.js';
import type { Drawing, StatusHead } from './status-line.js';
import type { Theme } from './theme.js';

/** A decision worded for display, with its value; safe for a terminal. */
export interface ShownDecision {
  readonly look: Done['look'];
  readonly verb: string;
  /** A reason or note. */
  readonly text: string;
  /** The value provided: an answer or a patch. */
  readonly value?: JsonValue;
  /** The input before and after an edit. */
  readonly edit?: { readonly before: JsonValue; readonly after: JsonValue };
}

/** Returns the wording of a decision, for display. */
export function decisionOf({ interrupt, resolution }: ResolvedInterrupt): ShownDecision {
  const { look, verb, of, text = '', value } = doneOf(interrupt, resolution);
  const shown = { look, verb: of === undefined ? verb : `${of} ${verb}`, text: escapeText(text) };
  const { source } = interrupt;
  if (value === undefined) return shown;
  if (resolution.action === 'restart' && source.type === 'tool')
    return { ...shown, edit: { before: source.input, after: value } };
  return { ...shown, value: shownAnswer(interrupt, value) };
}

/** Lists everyone whose vote led to the decision: `bob by web and cyd by web`. */
export function decidersText({ by, votes = [] }: Pick<ResolvedInterrupt, 'by' | 'votes'>): string {
  const all = votes.length === 0 ? [by] : votes.map((vote) => vote.by);
  return all.map(actorText).join(' and ');
}

/** Returns the actor of a decision as safe text: `ann at the terminal`, `stdin line 3`, `rule bank/*`. */
function actorText(by: Actor): string {
  if (!isActor(by)) return UNKNOWN_ACTOR;
  switch (by.type) {
    case 'person':
      return `${escapeText(by.name)} ${placeOf(by.via)}`;
    case 'script':
      return by.place === undefined ? by.via : `${by.via} ${escapeText(by.place)}`;
    case 'rule':
      return `rule ${escapeText(by.rule)}`;
    case 'reviewer':
      return `reviewer ${escapeText(by.name)}`;
    case 'clock':
      return 'timeout';
    default:
      return assertNever(by);
  }
}

const STYLES = { done: 'success', edited: 'warning', failed: 'failure', cancelled: 'warning' } as const;

/** Returns the symbol, style and name for the line that shows a decision. */
export function decisionHead(resolved: ResolvedInterrupt, verb: string, theme: Theme): StatusHead {
  const { look } = decisionOf(resolved);
  return {
    symbol: theme.symbols[look],
    style: theme[STYLES[look]],
    name: subjectOf(resolved.interrupt),
    verb,
  };
}

/**
 * Formats a vote that does not yet decide the question, with the count: `ann approved Transfer 250 to XYZ111
 * 1 of 2`.
 */
export function voteLines(
  { id, by, resolution }: SessionEvent & { readonly type: 'vote-cast' },
  state: RunState,
  { theme, columns }: Drawing,
): readonly string[] {
  const interrupt = openInterrupt(state, id);
  if (interrupt === undefined) return [];
  const { who } = deciderOf(by);
  const { verb, what, given } = decidedWords(interrupt, resolution, who === 'you' ? 'you ' : '');
  const said = agreeing(interrupt, standingVotes(state.votes, id), resolution).length;
  const pieces = [`${who} ${verb}`, what, given, `${said} of ${neededBy(interrupt.approvers)}`];
  const line = `${theme.symbols.waiting} ${pieces.filter((piece) => piece !== '').join('  ')}`;
  return wrapWords(line, columns - 1, '  ').map((row) => theme.warning(row.trimEnd()));
}

/**
 * Formats a decision and who made it, followed by the resulting change: `✓ root approved Transfer 250 to
 * XYZ111 from another terminal`. The wording is the same as on the terminal where the decision was made.
 */
export function decidedLines(
  { interrupt, resolution, by }: ResolvedInterrupt,
  drawing: Drawing,
  unfold?: string,
): readonly string[] {
  const { theme, columns } = drawing;
  const { look } = doneOf(interrupt, resolution);
  const isAgreed = look === 'done' || look === 'edited';
  const { who, how } = deciderOf(by);
  const { verb, what, given } = decidedWords(interrupt, resolution, who === 'you' ? 'you ' : '');
  const why = isActor(by) && by.type === 'rule' && given.includes(escapeText(by.rule)) ? '' : given; // it is named already
  const automatic = automaticWords(by, resolution.action, verb);
  const pieces =
    automatic === undefined ? [`${who} ${verb}`, what, why, how] : [automatic.head, what, why, automatic.how];
  const said = pieces.filter((piece) => piece !== '').join('  ');
  const line = `${theme.symbols[isAgreed ? 'done' : 'failed']} ${said}`;
  const rows = wrapWords(line, columns - 1, '  ').map((row) =>
    (isAgreed ? theme.success : theme.dim)(row.trimEnd()),
  );
  return [...rows, ...appliedRows({ interrupt, resolution }, drawing, unfold)];
}

/**
 * Returns the wording of an automatic decision, for example `accepted`, `timed out` or `(allowed by rule: git
 * status …)`.
 */
function automaticWords(
  by: Actor,
  action: Resolution['action'],
  verb: string,
): { readonly head: string; readonly how: string } | undefined {
  if (!isActor(by) || by.type === 'person' || by.type === 'script') return undefined;
  if (by.type === 'clock')
    return { head: action === 'reject' || action === 'cancel' ? 'timed out' : `timed out: ${verb}`, how: '' };
  if (by.type === 'reviewer') return { head: '', how: `(allowed by reviewer ${escapeText(by.name)})` };
  const [, effect = '', text = ''] =
    /^(mode|allow|deny|always|granted) (?:run_command (?=\S))?(.+)$/su.exec(by.rule) ?? [];
  if (effect === 'mode' && action === 'restart') return { head: 'accepted', how: '' };
  if (effect === 'allow' && action === 'restart')
    return { head: '', how: `(allowed by rule: ${escapeText(text)})` };
  const [, exactly] = /, (exactly this call): /u.exec(text) ?? [];
  if (effect === 'always' && action === 'restart')
    return { head: '', how: `(allowed for this session: ${exactly ?? escapeText(text)})` };
  if (effect === 'granted' && by.grant !== undefined && action === 'restart') {
    const { use, of } = by.grant;
    return { head: '', how: `(granted: ${exactly ?? escapeText(text)}, ${use} of ${of})` };
  }
  return effect === 'deny' && action === 'reject'
    ? { head: '', how: `(denied by rule: ${escapeText(text)})` }
    : undefined;
}

function placeOf(via: Person['via']): string {
  if (via === 'terminal') return 'at the terminal';
  return via === 'editor' ? 'in an editor' : `by ${via}`;
}

/** Returns who made a decision and from where, as safe text. */
function deciderOf(by: Actor): { readonly who: string; readonly how: string } {
  if (!isActor(by) || by.type !== 'person') return { who: actorText(by), how: '' };
  switch (by.via) {
    case 'terminal':
      return { who: 'you', how: '' };
    case 'answer':
      return { who: escapeText(by.name), how: 'from another terminal' };
    case 'library':
      return { who: escapeText(by.name), how: '' };
    case 'web':
    case 'slack':
    case 'ag-ui':
    case 'editor':
      return { who: escapeText(by.name), how: placeOf(by.via) };
  }
}

/** Returns the symbols used to show changes, limited to those the terminal supports. */
export function changeSigns({ symbols }: Theme, unfold?: string): ChangeSigns {
  const { wrapped, ellipsis } = symbols;
  const isAscii = symbols.done === 'ok';
  return { removed: isAscii ? '-' : '−', gap: isAscii ? ':' : '⋯', wrapped, ellipsis, unfold };
}

/**
 * Formats the change made by a decision, to show below the line of the decision. `unfold` is the key that
 * shows the whole change.
 */
export function appliedRows(
  { interrupt, resolution }: Pick<ResolvedInterrupt, 'interrupt' | 'resolution'>,
  { theme, columns }: Drawing,
  unfold?: string,
): readonly string[] {
  const rows = changeRows(appliedChange(interrupt, resolution), columns, changeSigns(theme, unfold));
  const paints = { own: (text: string) => text, removed: theme.failure, added: theme.success };
  return rows.map(({ tone, text }) => theme.dim(paints[tone](text)));
}
