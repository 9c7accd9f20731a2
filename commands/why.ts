import { hostname } from 'node:os';
import { createTwoFilesPatch } from 'diff';
import type {
  Actor,
  Interrupt,
  JsonValue,
  Resolution,
  RunState,
  Shown,
  StoredEvent,
} from '../src/core/index.js';
import {
  count,
  decidedWords,
  doneOf,
  durationText,
  escapeText,
  HitlError,
  isActor,
  joined,
  laidOut,
  nameOfKey,
  openInterrupts,
  pathText,
  peopleWords,
  present,
  readDiff,
  reviewWords,
  shown,
  shownJson,
  shownPayload,
  shownResolution,
  withContext,
  unreadWords,
} from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import { differenceLines, differences } from '../src/human/index.js';
import { formatUntil, rowsWithin, shownResult, valueLine } from '../src/render/index.js';
import { printJson, provenance, tell } from './host/index.js';
import { stdoutTable } from './screen/theme.js';
import type { Decision } from './report/decisions.js';
import { decisionsOf } from './report/decisions.js';
import { askedText } from './report/session-review.js';
import { standingText } from './report/standing.js';
import { unservedLines } from './report/unserved-lines.js';
import { atMost, namedSession } from './store/which-session.js';
import { openStore } from './store/store.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';

/**
 * `hitl why`: shows who made each decision, when and from where, what was shown and changed, and what ran as
 * a result. `--verbose` adds ids, digests, event numbers, processes and the recorded inputs.
 */
export async function why(
  io: Io,
  named: string | undefined,
  what: string | undefined,
  flags: SessionFlags & { readonly last?: boolean },
): Promise<number> {
  const store = openStore(io, flags);
  const { id, rest } = await namedSession(store, 'why', [named, what], flags);
  const [wanted] = atMost(rest, 1);
  await using session = await store.open(id, 'read');
  for (const notice of session.notices) tell(io.stderr, escapeText(notice));
  const events = await eventsOf(session);
  const all = decisionsOf(events);
  const asked = interruptsOf(events);
  const open = new Set(openInterrupts(session.state).map((one) => keyOf(one.id, one.path)));
  const chosen = wanted === undefined ? all : about(all, wanted);
  if (flags.json === true) {
    printJson(io, chosen);
    return 0;
  }
  const now = io.clock.now();
  const agent = present({ agent: session.state.agent });
  const look = stdoutTable(io, flags.color);
  const { strong } = look.theme;
  const textOf = (one: Decision): Shown => {
    const interrupt = asked.get(one.seq);
    const isOpen = open.has(keyOf(one.interrupt, one.path));
    return flags.verbose === true || interrupt === undefined
      ? recordsText(one, interrupt, isOpen)
      : toldText(one, { interrupt, isOpen, agent, now, strong });
  };
  const text = chosen.length === 0 ? shown`No questions were asked.\n` : joined(chosen.map(textOf));
  io.stdout.write(rowsWithin(text, look.columns));
  if (flags.quiet !== true) for (const line of await unservedLines(store, id)) tell(io.stderr, line);
  return 0;
}

/** Returns a unique key for a question, because two nodes of a workflow may each have an `i1`. */
function keyOf(interrupt: string, path = ''): string {
  return `${path} ${interrupt}`;
}

/** Filters decisions by interrupt id, call ref, tool name, workflow node, or operation in a node's code. */
function about(all: readonly Decision[], wanted: string): readonly Decision[] {
  const found = all.filter(({ interrupt, ref, tool, node, path, operation }) =>
    [interrupt, ref, tool, node, path, operation, operation && nameOfKey(operation)].includes(wanted),
  );
  if (found.length > 0) return found;
  const known = all.map(({ interrupt }) => interrupt).join(', ');
  throw new HitlError('INTERRUPT_NOT_FOUND', `no question about \`${wanted}\` found`, {
    hint:
      known === ''
        ? 'no questions were asked; see what ran: hitl show <id> --effects'
        : `questions: ${known}; see what ran without asking: hitl show <id> --effects`,
  });
}

/** Returns the questions, by the number of the event that asked them. */
function interruptsOf(events: readonly StoredEvent[]): ReadonlyMap<number, Interrupt> {
  return new Map(
    events.flatMap(({ seq, event }) =>
      event.type === 'interrupt-raised' || event.type === 'interrupt-escalated'
        ? [[seq, event.interrupt] as const]
        : [],
    ),
  );
}

/** The question of a decision, with the context needed to describe the decision. */
interface Telling {
  readonly interrupt: Interrupt;
  readonly isOpen: boolean;
  readonly agent: Pick<RunState, 'agent'>;
  readonly now: number;
  readonly strong: (text: string) => string;
}

/** Maximum number of rows of a question to display. The event contains all of them. */
const MOST_SHOWN = 20;

/**
 * Formats a decision for people: the question with its content, followed by the decision, who made it, and
 * what ran.
 */
function toldText(decision: Decision, telling: Telling): Shown {
  const { interrupt, now } = telling;
  const { path, askedAt, askedBy, askedOf, approvers, ran } = decision;
  const { title, rows: seen } = askedText(interrupt, telling.agent, MOST_SHOWN);
  const place = path === undefined ? '' : escapeText(pathText(path));
  const where = place === '' || title.includes(place) ? shown`` : shown` in ${laidOut(place)}`;
  const at = (iso: string): Shown => formatUntil(iso, now);
  const rows: readonly (Shown | undefined)[] = [
    ...seen,
    shown`asked ${at(askedAt)}${askedBy === undefined ? shown`` : ASKED_BY[askedBy]}${foreignText(decision)}`,
    askedOf === undefined ? undefined : shown`asked ${escapeText(askedOf)}, because no one answered in time`,
    ...(decision.changed ?? []).map((line) => shown`the server changed ${escapeText(line)}`),
    approvers === undefined ? undefined : escapeText(peopleWords(approvers)),
    ...(decision.reviews ?? []).map(reviewText),
    ...(decision.cast ?? []).map(
      ({ by, resolution, castAt, ...cast }) =>
        shown`vote: ${doneText(interrupt, resolution)} by ${whoText(by)}, ${at(castAt)}${foreignText(cast)}`,
    ),
    endText(decision, telling),
    lastsText(decision, at),
    reasonText(decision.decided?.by),
    ...(decision.standing ?? []).map((standing) => {
      if (standing.type === 'kept') return shown`kept ${standingText(standing, whoText)}, ${at(standing.at)}`;
      const { again, ...ended } = standing;
      const next = again === undefined ? shown`` : shown`; asked again`;
      return shown`no longer valid: ${standingText(ended)}${next}, ${at(standing.at)}`;
    }),
    ...ran.map(({ attempt, outcome, output }) => {
      const again = attempt === 1 ? shown`` : shown` (attempt ${attempt})`;
      return shown`ran${again}: ${escapeText(OUTCOMES[outcome])}${output === undefined ? shown`` : ranText(decision, output)}`;
    }),
  ];
  const lines = rows.filter((row) => row !== undefined).map((row) => shown`  ${row}\n`);
  return shown`${laidOut(telling.strong(title))}${where}\n${joined(lines, '')}`;
}

/** Formats a review, for example `reviewer policy: allow, authorized high: The user asked for it (low)`. */
function reviewText({ by, outcome }: NonNullable<Decision['reviews']>[number]): Shown {
  const words = reviewWords({ outcome });
  if (outcome.type === 'failed') return shown`reviewer ${escapeText(by.name)} did not answer: ${words}`;
  const { decision, authorized } = outcome;
  return shown`reviewer ${escapeText(by.name)}: ${escapeText(`${decision}, authorized ${authorized}`)}: ${words}`;
}

const OUTCOMES = {
  output: 'done',
  error: 'failed',
  asked: 'asked again',
  unknown: 'outcome unknown',
} as const;

/** Maximum width of a call's output, in columns. */
const RAN_COLUMNS = 100;

/** Formats a summary of a call's output, for example `, exit 0, 34 lines of output`. */
function ranText({ tool = '' }: Decision, output: JsonValue): Shown {
  const { facts, text, rest } = shownResult(tool, output);
  const lines = text === undefined ? [] : [`${count(text.trimEnd().split('\n').length, 'line')} of output`];
  const values = rest === undefined ? [] : [valueLine(rest, RAN_COLUMNS)];
  return laidOut([...facts, ...values, ...lines].map((fact) => `, ${fact}`).join(''));
}

/**
 * Formats the outcome of a question, for example `approved by root from another terminal, 14:03 (changed:
 * amount 200 → 150)`.
 */
function endText({ decided, escalated }: Decision, { interrupt, isOpen, now }: Telling): Shown {
  if (escalated !== undefined)
    return shown`expired ${formatUntil(escalated.at, now)}; ${escapeText(escalated.to)} was asked`;
  if (decided === undefined)
    return isOpen ? shown`not answered yet` : shown`never answered: the session went back to an earlier step`;
  const { by, votes = [], at, resolution, proposal, unread } = decided;
  const who = votes.length === 0 ? [by] : votes.map((vote) => vote.by);
  const whatFor = proposal === true ? shown` for others to approve` : shown``;
  const { given } = decidedWords(interrupt, shownResolution(resolution, { interrupt }));
  const left = unread === undefined ? shown`` : shown`  (${escapeText(unreadWords(unread))})`;
  const said = given === '' ? left : shown`  ${laidOut(given)}${left}`;
  const whose = who.map(whoText).reduce((all, one) => shown`${all} and ${one}`);
  const end = shown`${doneText(interrupt, resolution)}${whatFor} by ${whose}, ${formatUntil(at, now)}${foreignText(decided)}`;
  const change = given.includes('…') ? changeRows(interrupt, resolution) : [];
  return change.length === 0 ? shown`${end}${said}` : joined([end, ...change]);
}

/** Formats an edit as diff rows, if it does not fit on one line. */
function changeRows(interrupt: Interrupt, resolution: Resolution): readonly Shown[] {
  const { source } = interrupt;
  const edited = shownResolution(resolution, { interrupt });
  if (edited.action !== 'restart' || edited.input === undefined || source.type !== 'tool') return [];
  return differences(source.input, edited.input).flatMap((one) => {
    const { path, before, after } = one;
    const isText = typeof before === 'string' && typeof after === 'string';
    const patch = isText ? readDiff(createTwoFilesPatch('', '', `${before}\n`, `${after}\n`)) : undefined;
    if (patch === undefined) return differenceLines([one]).map(({ text }) => laidOut(`    ${text}`));
    const rows = withContext(patch.lines, 1).map(({ type, text }) => `${SIGNS[type]} ${escapeText(text)}`);
    return [`${path}:`, ...rows].map((row) => laidOut(`    ${row}`));
  });
}

const SIGNS = { same: ' ', removed: '−', added: '+', gap: '⋯' } as const;

/** `approved` */
function doneText(interrupt: Interrupt, resolution: Resolution): Shown {
  const { of } = doneOf(interrupt, resolution);
  const { verb } = decidedWords(interrupt, resolution);
  return escapeText(of === undefined ? verb : `${verb} ${of}`);
}

/** Formats who made a decision, for example `root from another terminal, started by codex`. */
function whoText(by: Actor): Shown {
  if (isActor(by) && by.type === 'script') {
    const { name, via, place } = by;
    const line = place === undefined || via === 'flag' ? shown`` : shown`, ${escapeText(place)}`;
    return shown`${escapeText(name)} ${FROM[via]}${line}`;
  }
  if (!isActor(by) || by.type !== 'person') return escapeText(provenance(by));
  const { name, via, host, parent } = by;
  const on = host === undefined || host === hostname() ? shown`` : shown` on ${escapeText(host)}`;
  const started = parent === undefined ? shown`` : shown`, started by ${escapeText(parent.name)}`;
  return shown`${escapeText(name)} ${FROM[via]}${on}${started}`;
}

const FROM = {
  terminal: shown`at the terminal`,
  answer: shown`from another terminal`,
  web: shown`on the web page`,
  slack: shown`in Slack`,
  'ag-ui': shown`through AG-UI`,
  editor: shown`in an editor`,
  library: shown`through a program`,
  stdin: shown`on stdin`,
  answers: shown`by an answers file`,
  flag: shown`by a flag`,
} as const;

function foreignText({ foreign }: { readonly foreign?: true }): Shown {
  return foreign === true ? shown` (not signed with your key)` : shown``;
}

/** Describes how long an approval is valid. */
function lastsText(
  { decided, approvalLastsMs: ms }: Decision,
  at: (iso: string) => Shown,
): Shown | undefined {
  const lasts = ms === undefined ? undefined : escapeText(`approval lasts ${durationText(ms)}`);
  if (decided?.validUntil === undefined) return decided === undefined ? lasts : undefined;
  return shown`valid until ${at(decided.validUntil)}${lasts === undefined ? shown`` : shown` (${lasts})`}`;
}

/** Describes the rule that made the decision, and where it is defined. */
function reasonText(by: Actor | undefined): Shown | undefined {
  const row = becauseRow(by);
  return row && shown`because ${row[1]}`;
}

/** Formats a decision as it was recorded. */
function recordsText(decision: Decision, interrupt: Interrupt | undefined, isOpen: boolean): Shown {
  const { interrupt: id, kind, tool, ref, path, seq, askedAt, askedBy, digest, ran } = decision;
  const { title, input: asked, payload } = decision.shown;
  const { askedOf, insteadOf = '' } = decision;
  const subject =
    tool === undefined ? askerText(decision) : shown` of ${escapeText(tool)} (${escapeText(ref ?? '')})`;
  const where = path === undefined ? shown`` : shown` in ${escapeText(pathText(path))}`;
  const rows: readonly (Row | undefined)[] = [
    [
      'asked',
      shown`${escapeText(askedAt)}, ${recordText(seq, decision)}${askedBy === undefined ? shown`` : ASKED_BY[askedBy]}`,
    ],
    askedOf === undefined
      ? undefined
      : ['asks', shown`${escapeText(askedOf)}, instead of ${escapeText(insteadOf)}`],
    title === undefined ? undefined : ['title', escapeText(title)],
    asked === undefined ? undefined : ['input', shownJson(asked)],
    payload === true ? undefined : ['shown', shownJson(readable(decision))],
    ...(decision.changed ?? []).map((line): Row => ['changed', escapeText(line)]),
    ['hash', escapeText(digest)],
    decision.approvers === undefined ? undefined : ['people', escapeText(peopleWords(decision.approvers))],
    ...(decision.cast ?? []).map(({ by, resolution, castAt, seq: at, ...cast }): Row => [
      'vote',
      shown`${resolutionText(resolution, interrupt)} by ${escapeText(provenance(by))}, ${escapeText(castAt)}, ${recordText(at, cast)}`,
    ]),
    ['decided', decidedText(decision, interrupt, isOpen)],
    untilRow(decision),
    becauseRow(decision.decided?.by),
    ...(decision.standing ?? []).map((standing): Row => [
      standing.type,
      shown`${standingText(standing)}, ${escapeText(standing.at)}, event ${standing.seq}`,
    ]),
    ...ran.map(({ seq: at, attempt, input, outcome, output }): Row => [
      'ran',
      shown`attempt ${attempt}, event ${at}, ${shownJson(input)} → ${escapeText(outcome)}${output === undefined ? shown`` : shown` ${shownJson(output)}`}`,
    ]),
  ];
  const lines = rows
    .filter((row) => row !== undefined)
    .map(([label, text]) => shown`  ${escapeText(label.padEnd(7))} ${text}\n`);
  return shown`${escapeText(id)}  ${escapeText(kind)}${subject}${where}\n${joined(lines, '')}`;
}

/** Names the source of a question: an operation in a node's code, or the node itself. */
function askerText({ node, operation }: Decision): Shown {
  if (node === undefined) return shown``;
  if (operation === undefined) return shown` of ${escapeText(node)}`;
  return shown` of ${escapeText(operation)} (${escapeText(node)})`;
}

function readable({ kind, node, operation, shown: { payload } }: Decision): JsonValue {
  const type = node === undefined ? 'run' : 'node';
  return shownPayload({ kind, payload, source: { type, ...(operation !== undefined && { operation }) } });
}

function decidedText({ decided, escalated }: Decision, asked: Interrupt | undefined, isOpen: boolean): Shown {
  if (escalated !== undefined) {
    const { to, interrupt, at, seq } = escalated;
    return shown`expired; escalated to ${escapeText(to)} (${escapeText(interrupt)}), ${escapeText(at)}, event ${seq}`;
  }
  if (decided === undefined)
    return isOpen
      ? shown`pending`
      : shown`never (the session went back to an earlier step, and the question was withdrawn)`;
  const { resolution, by, at, seq, proposal, unread } = decided;
  const whatFor =
    proposal === true
      ? shown` for others to approve`
      : unread === undefined
        ? shown``
        : shown` (${escapeText(unreadWords(unread))})`;
  return shown`${resolutionText(resolution, asked)}${whatFor} by ${escapeText(provenance(by))}, ${escapeText(at)}, ${recordText(seq, decided)}`;
}

/** Formats an event number. If the event was not written with the user's key, adds a note about that. */
function recordText(seq: number, { foreign }: { readonly foreign?: true }): Shown {
  return foreign === true ? shown`event ${seq}, not signed with your key` : shown`event ${seq}`;
}

/** Formats how long an approval is valid. */
function untilRow({ decided, approvalLastsMs: ms }: Decision): Row | undefined {
  const lasts = ms === undefined ? undefined : `approval lasts ${durationText(ms)}`;
  if (decided === undefined) return lasts === undefined ? undefined : ['until', escapeText(lasts)];
  const { validUntil } = decided;
  if (validUntil === undefined) return undefined;
  return ['until', escapeText(lasts === undefined ? validUntil : `${validUntil} (${lasts})`)];
}

/** Describes the rule that made the decision: what it matches and where it is defined. */
function becauseRow(by: Actor | undefined): Row | undefined {
  if (by?.type === 'rule' && by.grant !== undefined) {
    const { id, use, of } = by.grant;
    return ['because', escapeText(`grant ${id} allows it (use ${use} of ${of})`)];
  }
  if (by?.type !== 'rule' || by.says === undefined || by.from === undefined) return undefined;
  return ['because', escapeText(`the rule \`${by.rule}\` (${by.from}) ${by.says}`)];
}

const ASKED_BY = {
  tool: shown` by the tool while it ran`,
  approval: shown` before the call ran`,
  engine: shown` by hitl`,
} as const;

type Row = readonly [label: string, text: Shown];

/** Formats an answer with its value, in the same form as on every screen. */
function resolutionText(resolution: Resolution, interrupt: Interrupt | undefined): Shown {
  const { action, ...members } = resolution;
  const done = interrupt === undefined ? undefined : doneOf(interrupt, resolution);
  const words = done?.of === undefined ? done?.verb : `${done.verb} ${done.of}`;
  const rest = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== done?.text));
  const said = Object.keys(rest).length < Object.keys(members).length && done?.text !== undefined;
  const given = Object.keys(rest).length === 0 ? shown`` : shown` ${shownJson(rest)}`;
  return shown`${escapeText(words ?? action)}${said ? shown` “${escapeText(done.text)}”` : shown``}${given}`;
}
