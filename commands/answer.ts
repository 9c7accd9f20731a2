// Invariants:
// W1 A yes is for what was shown: it names the digest, or the person at this terminal sees the question and presses a key.
//    `--any` is the one way around it, and has to be said.
// W2 What names a question is never taken for the words of an answer.
import { hostname } from 'node:os';

import type {
  Answer,
  Interrupt,
  Resolution,
  RunState,
  Session,
  SessionId,
  SessionStore,
  Shown,
} from '../src/core/index.js';
import {
  answeredBy,
  answerProblem,
  approversWords,
  decidedWords,
  HitlError,
  escapeText,
  holdsSecret,
  isQuestion,
  isDigestOf,
  isHitlError,
  isDigestText,
  namingVerdict,
  unescapeText,
  openInterrupts,
  passedOn,
  readQuestionName,
  shown,
  shownResolution,
  votesCount,
} from '../src/core/index.js';
import type { Delivered } from '../src/human/index.js';
import {
  commandBelow,
  createLineSource,
  deliverAnswer,
  namedAtStart,
  oneLineOf,
  parseAnswer,
  questionView,
  renderQuestionPlain,
  showCommand,
  toolOf,
} from '../src/human/index.js';
import { isOfProgram } from './asking/standing.js';
import type { ExitStatus } from './exit/exit-codes.js';
import type { Io } from './host/index.js';
import { modeOf, outputFormatOf } from './flags/mode.js';
import type { AnswerRunFlags } from './flags/options.js';
import { asMember, hasTerminal, localIdentity, personElsewhere, printJson, tell } from './host/index.js';
import { answerTooLarge } from './input/size-limits.js';
import { namedSession } from './store/which-session.js';
import { openStore } from './store/store.js';
import { resumeSession } from './resume.js';
import { confirmEarlyHere } from './screen/confirm-here.js';

interface AnswerFlags extends AnswerRunFlags {
  readonly interrupt?: string;
  /** The digest of the question, or the prefix of it that was printed. */
  readonly digest?: string;
  /** Whether to approve the open question without a digest. */
  readonly any?: boolean;
  readonly run?: boolean;
  readonly last?: boolean;
}

/** Options that specify the question that an answer is for. */
export interface NamedBy {
  readonly interrupt?: string | undefined;
  readonly digest?: string | undefined;
}

/** How long to wait, in milliseconds, until the process that has the session open accepts an answer. */
const TAKEN_MS = 5_000;

/** `hitl answer`: resolves one open interrupt without running anything. */
export async function answer(
  io: Io,
  named: string | undefined,
  given: readonly string[],
  flags: AnswerFlags,
): Promise<number> {
  const store = openStore(io, flags);
  const { id, rest: words } = await namedSession(store, 'answer', [named, ...given], flags);
  if (flags.last === true) await checkAlone(store);
  await checkWhole(store, id);
  checkNaming(flags, words);
  const answers = await answersOf(io, flags, words);
  const status = await answerAll(io, flags, { store, id, answers });
  if (status === undefined) return 3; // the question is open, and what follows was typed with it
  if (flags.run !== true) return status;
  const { answer: _used, ...further } = flags;
  const mode = modeOf(io, { ...flags, input: false });
  return resumeSession(io, { ...further, input: false, print: true, save: true }, { store, id, mode });
}

/** Rejects options that specify the question in conflicting ways. */
function checkNaming({ answer: named, digest, any, interrupt }: AnswerFlags, words: readonly string[]): void {
  if (named !== undefined && (words.length > 0 || interrupt !== undefined || digest !== undefined))
    throw new HitlError(
      'USAGE',
      '`--answer` specifies the question and the answer; leave out the other options',
      {
        hint: 'hitl answer <id> --answer i1@3db9c6df=y --answer i2=n',
      },
    );
  if (any === true && digest !== undefined)
    throw new HitlError('USAGE', '`--any` and `--digest` cannot be used together', {
      hint: '`--digest` selects one question; `--any` approves any open question',
    });
  if (digest !== undefined && !isDigestText(digest))
    throw new HitlError('USAGE', `\`--digest\` must be 8 to 64 hexadecimal digits, got \`${digest}\``, {
      hint: '`hitl show <id>` shows the digest of each question',
    });
}

/** Refuses to guess which question is meant, because the user may not have seen the newest session. */
async function checkAlone(store: SessionStore): Promise<void> {
  const sessions = new Set<SessionId>();
  for await (const { session, interrupt } of store.waiting())
    if (isQuestion(interrupt)) sessions.add(session);
  if (sessions.size <= 1) return;
  throw new HitlError('USAGE', `${sessions.size} sessions have open questions; specify one`, {
    hint: 'hitl inbox shows them',
  });
}

/**
 * Returns the answers from the command line, each with the question that it refers to. If there are none,
 * reads one line from stdin.
 */
async function answersOf(
  io: Io,
  flags: AnswerFlags,
  words: readonly string[],
): Promise<readonly GivenAnswer[]> {
  const text = words.length > 0 ? words.join(' ') : undefined;
  if (flags.answer !== undefined && flags.answer.length > 0)
    return flags.answer.map(([name, given]) => [readQuestionName(name), given]);
  const named: NamedBy = { interrupt: flags.interrupt, digest: flags.digest };
  if (text !== undefined) return [[named, text]];
  if (io.stdin.isTTY)
    throw new HitlError('USAGE', 'missing answer', {
      hint: 'hitl answer <id> y --digest <digest>, or n <reason>',
    });
  const line = await createLineSource(io.stdin).next(new AbortController().signal);
  if (line === undefined)
    throw new HitlError('USAGE', 'missing answer: stdin is empty', {
      hint: 'hitl answer <id> y --digest <digest>, or n <reason>',
    });
  return [[named, line.text]];
}

/**
 * Rejects a session that is damaged or was written by a newer version, because its open questions cannot be
 * determined.
 */
async function checkWhole({ capabilities }: SessionStore, id: SessionId): Promise<void> {
  const found = await capabilities.doctor?.examine(id);
  if (found === undefined) return;
  const { status, meaning } = found;
  if (status !== 'damaged' && status !== 'newer') return;
  throw new HitlError(status === 'newer' ? 'SESSION_NEWER' : 'SESSION_DAMAGED', meaning, {
    hint: `hitl doctor ${id}`,
  });
}

type GivenAnswer = readonly [NamedBy, string];

interface AllAnswers {
  readonly store: SessionStore;
  readonly id: SessionId;
  readonly answers: readonly GivenAnswer[];
}

/**
 * Delivers the answers in order. A script's answers share one open session, unless another process has that
 * session open. At a terminal, the session is not kept open while the user reviews each question.
 */
async function answerAll(
  io: Io,
  flags: AnswerFlags,
  { store, id, answers }: AllAnswers,
): Promise<ExitStatus | undefined> {
  const isScript = answers.length > 1 && !modeOf(io, flags).interactive;
  await using held = isScript ? await openIfFree(store, id) : undefined;
  let status: ExitStatus = 0;
  for (const [at, [named, text]] of answers.entries()) {
    const isLast = at === answers.length - 1;
    const answered = await answerOne(io, flags, { store, id, named, text, held, isLast });
    if (answered === undefined) return undefined;
    status = answered;
  }
  return status;
}

/** Opens the session for writing. Returns `undefined` if another process has it open. */
async function openIfFree(store: SessionStore, id: SessionId): Promise<Session | undefined> {
  try {
    return await store.open(id, 'write');
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'SESSION_LOCKED') return undefined;
    throw thrown;
  }
}

interface OneAnswer {
  readonly store: SessionStore;
  readonly id: SessionId;
  readonly named: NamedBy;
  readonly text: string;
  /** The session, if this command has it open for writing. */
  readonly held: Session | undefined;
  /** Whether to report remaining open questions. */
  readonly isLast: boolean;
}

/** Prompt that asks the user to confirm a typed answer. */
const GIVING = { message: 'Give this answer?', yes: 'give it', no: 'leave the question open' };

/** Delivers one answer. Returns `undefined` if the user at the terminal saw the question and left it open. */
async function answerOne(
  io: Io,
  flags: AnswerFlags,
  { store, id, named, text, held, isLast }: OneAnswer,
): Promise<ExitStatus | undefined> {
  const now = async (): Promise<RunState> => held?.state ?? readState(store, id);
  const state = await now();
  if (named.interrupt === undefined && named.digest === undefined) checkWords(state, text, id);
  const interrupt = questionNamed(state, named, id);
  const tool = toolOf(interrupt, state);
  const parsed = parseAnswer(text, { interrupt, ...(tool !== undefined && { tool }) });
  if (!parsed.ok) {
    throw new HitlError('BAD_ANSWER', unescapeText(parsed.message), {
      hint: `valid answers: ${parsed.fits.join(' · ')}`,
    });
  }
  const { resolution, always, digest = named.digest } = parsed.answer;
  if (always !== undefined) throw noRuleHere(interrupt, showQuestion(io, flags, { id, state, interrupt }));
  if (!(await isShown(io, flags, { id, state, interrupt, resolution, digest, text }))) {
    if (flags.quiet !== true) tell(io.stderr, shown`not answered: ${interrupt.id} is still open`);
    return undefined;
  }
  const decided: Answer = {
    id: interrupt.id,
    digest: interrupt.digest,
    resolution,
    by: asMember(personElsewhere(io), interrupt),
  };
  const large = answerTooLarge(decided);
  if (large !== undefined) throw large;
  checkFits(state, decided);
  const delivered = await deliver({ store, id, held }, decided);
  const isVote = delivered.type === 'voted';
  const after = openInterrupts(await now()).filter(
    (open) => isQuestion(open) && (isVote || open.id !== decided.id),
  );
  const byWorker = after.length === 0 && flags.run !== true && (await isForWorker(store, id));
  const ofProgram = isOfProgram(state);
  const left = delivered.type === 'left' ? await waitingFor(store, id) : undefined;
  say(io, flags, { id, interrupt, answer: decided, after, delivered, left, ofProgram, byWorker, isLast });
  return after.length > 0 ? 3 : 0;
}

interface Naming {
  readonly id: SessionId;
  readonly state: RunState;
  readonly interrupt: Interrupt;
  readonly resolution: Resolution;
  readonly digest: string | undefined;
  readonly text: string;
}

/**
 * Whether the answer refers to the question as it was shown (W1). False if the user saw the question and
 * declined.
 * @throws HitlError BAD_ANSWER if there is no digest and no one to ask.
 */
async function isShown(
  io: Io,
  flags: AnswerFlags,
  { id, state, interrupt, resolution, digest, text }: Naming,
): Promise<boolean> {
  const verdict = namingVerdict(resolution, {
    digest,
    any: flags.any,
    seated: modeOf(io, flags).interactive,
  });
  switch (verdict) {
    case 'counts':
      return true;
    case 'show-first': {
      return confirmEarlyHere(io, flags, { interrupt, state, answer: escapeText(text), ...GIVING });
    }
    case 'refused': {
      const schemas = { interrupt, input: interrupt.inputSchema };
      const typed = holdsSecret(resolution, schemas) ? undefined : text;
      throw new HitlError(
        'BAD_ANSWER',
        `approving ${interrupt.id} requires the digest of the displayed question`,
        { hint: showQuestion(io, flags, { id, state, interrupt, typed }) },
      );
    }
  }
}

/**
 * Prints the question in text output. Returns the command that answers it, for a hint.
 * @param typed the answer to repeat in the command
 */
function showQuestion(
  io: Io,
  flags: AnswerFlags,
  {
    id,
    state,
    interrupt,
    typed,
  }: Pick<Naming, 'id' | 'state' | 'interrupt'> & { readonly typed?: string | undefined },
): Shown {
  const view = questionView(interrupt, state, { now: io.clock.now() });
  if (outputFormatOf(flags) === 'text' && flags.quiet !== true) tell(io.stderr, renderQuestionPlain(view));
  return commandBelow(id, view, typed);
}

/** @throws HitlError USAGE if an answer starts with a question's id (W2). */
function checkWords(state: RunState, text: string, id: SessionId): void {
  const asked = [...openInterrupts(state), ...state.resolved.toArray().map(({ interrupt }) => interrupt)];
  const named = namedAtStart(
    text,
    asked.map((interrupt) => interrupt.id),
  );
  if (named === undefined) return;
  throw new HitlError('USAGE', `\`${named.id}\` is a question id, not part of an answer`, {
    hint: `hitl answer ${id} --interrupt ${named.id} ${named.rest === '' ? '<answer>' : named.rest}`,
  });
}

/**
 * Creates the error for `always`. Only the process that runs the session can add a rule, so accepting
 * `always` here would promise a rule that is never added.
 */
function noRuleHere({ source }: Interrupt, command: Shown): HitlError {
  const tool = source.type === 'tool' ? source.name : '<tool>';
  return new HitlError('BAD_ANSWER', '`always` only works in the session’s own terminal', {
    hint: `${command}, and for later calls: hitl rules add allow ${tool}`,
  });
}

function checkFits(state: RunState, decided: Answer): void {
  const problem = answerProblem(state, decided);
  if (problem === undefined) return;
  if (problem.kind === 'not-eligible')
    throw new HitlError('NOT_ELIGIBLE', problem.message, { hint: whyNot(decided) });
  throw new HitlError('BAD_ANSWER', problem.message, {
    hint: 'the question is still open; answer it again',
  });
}

/**
 * Returns a hint for an ineligible answer. Includes the reason if the kernel cannot prove the user's
 * identity.
 */
function whyNot({ by }: Answer): string {
  const found = localIdentity();
  return by.type !== 'person' || by.id !== undefined || found.ok
    ? 'not saved; only the required approvers can answer it'
    : `not saved: ${found.why}`;
}

async function readState(store: SessionStore, id: SessionId): Promise<RunState> {
  await using session = await store.open(id, 'read');
  return session.state;
}

/**
 * Finds an open question by id, digest, or both. If both are given, they must match. If neither is given,
 * returns the only open question.
 * @throws HitlError USAGE, BAD_ANSWER, ALREADY_ANSWERED or INTERRUPT_NOT_FOUND
 */
export function questionNamed(state: RunState, { interrupt, digest }: NamedBy, id: SessionId): Interrupt {
  const open = openInterrupts(state);
  if (interrupt === undefined) return digest === undefined ? onlyOne(state, id) : digested(state, digest, id);
  const found = named(state, open, interrupt, id);
  if (digest === undefined || isDigestOf(digest, found)) return found;
  throw new HitlError(
    'BAD_ANSWER',
    `question ${found.id} has changed: it is not the one shown with ${digest}`,
    {
      hint: `review it again: hitl show ${id}`,
    },
  );
}

function digested(state: RunState, digest: string, id: SessionId): Interrupt {
  const [found, ...more] = openInterrupts(state).filter((one) => isDigestOf(digest, one));
  if (found !== undefined && more.length === 0) return found;
  if (found !== undefined)
    throw new HitlError('USAGE', `more than one open question has a digest that starts with ${digest}`, {
      hint: `--interrupt ${[found, ...more].map((one) => one.id).join(' | ')}`,
    });
  const before = state.resolved.findLast((one) => isDigestOf(digest, one.interrupt));
  if (before !== undefined)
    throw new HitlError('ALREADY_ANSWERED', `${before.interrupt.id} was ${answeredBy(before)}`, {
      hint: `hitl show ${id}`,
    });
  throw new HitlError('BAD_ANSWER', `no open question in session ${id} has the digest ${digest}`, {
    hint: `see the open questions: hitl show ${id}`,
  });
}

function onlyOne(state: RunState, id: SessionId): Interrupt {
  const all = openInterrupts(state);
  const open = all.filter(isQuestion);
  const [only] = open;
  const [wait] = all;
  if (only === undefined && wait !== undefined)
    throw new HitlError(
      'INTERRUPT_NOT_FOUND',
      `no open questions in session ${id}: ${unescapeText(oneLineOf(wait))}`,
      {
        hint: `hitl answer ${id} --interrupt ${wait.id} provides its result`,
      },
    );
  if (only === undefined) {
    const last = state.resolved.at(-1);
    const before = last === undefined ? '' : ` (${last.interrupt.id}: ${answeredBy(last)})`;
    throw new HitlError('ALREADY_ANSWERED', `session ${id} has no open questions${before}`, {
      hint: `hitl resume ${id}`,
    });
  }
  if (open.length > 1) {
    throw new HitlError('USAGE', `${open.length} questions are open; specify one`, {
      hint: `--interrupt ${idsOf(open)}`,
    });
  }
  return only;
}

/** Maximum number of ids in a hint. */
const MOST_TOLD = 5;

function idsOf(open: readonly Interrupt[]): string {
  const more = open.length > MOST_TOLD ? ` | … (${open.length} in all)` : '';
  return `${open
    .slice(0, MOST_TOLD)
    .map(({ id }) => id)
    .join(' | ')}${more}`;
}

function named(state: RunState, open: readonly Interrupt[], wanted: string, session: SessionId): Interrupt {
  const found = open.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  const answered = state.resolved.toArray().find(({ interrupt }) => interrupt.id === wanted);
  if (answered !== undefined) {
    throw new HitlError('ALREADY_ANSWERED', `interrupt ${wanted} was ${answeredBy(answered)}`, {
      hint: `see the outcome: hitl show ${session}`,
    });
  }
  const passed = passedOn(state, wanted);
  if (passed !== undefined) throw new HitlError('ALREADY_ANSWERED', passed, { hint: 'hitl inbox' });
  throw new HitlError('INTERRUPT_NOT_FOUND', `no interrupt \`${wanted}\``, {
    hint: open.length === 0 ? 'no open questions' : `open: ${idsOf(open)}`,
  });
}

/** Posts the answer. If another process has the session open, waits briefly for that process to use it. */
async function deliver(
  { store, id, held }: Pick<OneAnswer, 'store' | 'id' | 'held'>,
  decided: Answer,
): Promise<Delivered> {
  const delivered = await deliverAnswer(store, id, decided, {
    patience: () => AbortSignal.timeout(TAKEN_MS),
    held,
  });
  if (delivered.type === 'refused')
    throw new HitlError('ALREADY_ANSWERED', `answer not used: ${delivered.why}`, {
      hint: `hitl show ${id}`,
    });
  return delivered;
}

/** Whether a live worker will resume the session; false if unknown. */
async function isForWorker({ capabilities: { workers } }: SessionStore, id: SessionId): Promise<boolean> {
  try {
    if (workers === undefined || (await workers.alive()).length === 0) return false;
    return (await workers.unserved(id)).length === 0;
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    return false;
  }
}

/** Explains when the process that runs the session will use a saved answer. */
async function waitingFor(store: SessionStore, id: SessionId): Promise<Shown> {
  await using session = await store.open(id, 'read');
  const { writer } = session.state;
  return writer?.host === hostname() && hasTerminal(writer.pid)
    ? shown`It takes effect when the user at the terminal of process ${writer.pid} accepts it.`
    : shown`The running session has not confirmed it yet.`;
}

/** Formats a decision: `Approved: Transfer 300 to DEF456`. */
function answeredLine(interrupt: Interrupt, resolution: Resolution): Shown {
  const { verb, what, given } = decidedWords(interrupt, resolution);
  const head = escapeText(`${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}`);
  return shown`${head}: ${what}${given === '' ? shown`` : shown`  ${given}`}`;
}

function say(
  io: Io,
  flags: AnswerFlags,
  {
    id,
    interrupt,
    answer: { resolution, digest },
    after,
    delivered,
    left,
    ofProgram,
    byWorker,
    isLast,
  }: {
    readonly id: SessionId;
    readonly interrupt: Interrupt;
    readonly answer: Answer;
    readonly after: readonly Interrupt[];
    readonly delivered: Delivered;
    /**
     * Explains when a saved answer takes effect. Set only if the session's process has not used the answer
     * yet.
     */
    readonly left: Shown | undefined;
    readonly ofProgram: boolean;
    readonly byWorker: boolean;
    readonly isLast: boolean;
  },
): void {
  if (outputFormatOf(flags) !== 'text') {
    const open = after.map((one) => one.id);
    const votes = delivered.type === 'voted' && { votes: votesCount(interrupt, delivered.votes) };
    printJson(io, { session: id, interrupt: interrupt.id, resolution, digest, open, ...votes }, 'line');
    return;
  }
  if (flags.quiet === true) return;
  const line = answeredLine(interrupt, shownResolution(resolution, { interrupt }));
  tell(io.stderr, left === undefined ? line : shown`Answer saved. ${line}`);
  if (left !== undefined) tell(io.stderr, left);
  if (delivered.type === 'voted')
    tell(io.stderr, escapeText(approversWords(interrupt, delivered.votes) ?? ''));
  if (!isLast) return;
  const others = after.filter((one) => one.id !== interrupt.id);
  for (const one of others.slice(0, MOST_TOLD))
    tell(io.stderr, shown`still open: ${one.id} ${oneLineOf(one)}`);
  if (others.length > MOST_TOLD) tell(io.stderr, shown`still open: ${others.length - MOST_TOLD} more`);
  const [next] = after;
  if (delivered.type === 'voted') tell(io.stderr, shown`hint: hitl show ${id}`);
  else if (delivered.type === 'taken' && after.length === 0)
    tell(io.stderr, shown`The running session continues on its own.`);
  else if (ofProgram && next === undefined)
    tell(io.stderr, shown`The program that asked receives the answer.`);
  else if (byWorker) tell(io.stderr, shown`A worker continues the session; hint: hitl show ${id}`);
  else if (left !== undefined && next === undefined) return;
  else if (flags.run !== true)
    tell(io.stderr, next === undefined ? shown`hint: hitl resume ${id}` : shown`hint: ${showCommand(id)}`);
}
