import type { Answer, Interrupt, RunState, SessionId, SessionStore } from '../src/core/index.js';
import {
  actorName,
  answerProblem,
  approversWords,
  HitlError,
  escapeText,
  unescapeText,
  openInterrupts,
  passedOn,
  shown,
  votesCount,
} from '../src/core/index.js';
import type { Delivered } from '../src/human/index.js';
import { createLineSource, deliverAnswer, oneLineOf, parseAnswer, toolOf } from '../src/human/index.js';
import type { ExitStatus } from './exit/index.js';
import type { Io } from './host/index.js';
import { modeOf, outputFormatOf } from './flags/index.js';
import type { RunFlags } from './flags/index.js';
import { asMember, personElsewhere, printJson, tell } from './host/index.js';
import { answerTooLarge } from './input/index.js';
import { namedSession, openStore } from './store/index.js';

interface AnswerFlags extends Omit<RunFlags, 'save'> {
  readonly interrupt?: string;
  readonly run?: boolean;
  readonly last?: boolean;
}

/** The time to wait for the process that has the session to take an answer, in milliseconds. */
const TAKEN_MS = 5_000;

/** `hitl answer`: resolves one open interrupt, and runs nothing. */
export async function answer(io: Io, given: readonly unknown[], flags: AnswerFlags): Promise<number> {
  const store = await openStore(io, flags);
  const { id, rest: words } = await namedSession(store, 'answer', given, flags);
  if (flags.last === true) await checkAlone(store);
  await checkWhole(store, id);
  const answers = await answersOf(io, flags, words);
  let status: ExitStatus = 0;
  for (const [wanted, text] of answers) status = await answerOne(io, flags, { store, id, wanted, text });
  if (flags.run !== true) return status;
  const { resumeSession } = await import('./resume.js'); // most of the program, which an answer alone needs not
  const mode = modeOf(io, { ...flags, input: false });
  return resumeSession(io, { ...flags, input: false, print: true, save: true }, { store, id, mode });
}

/** Refuses to guess whose question a person has in mind: the newest session may be one that nobody has looked at. */
async function checkAlone(store: SessionStore): Promise<void> {
  const sessions = new Set<SessionId>();
  for await (const { session } of store.waiting()) sessions.add(session);
  if (sessions.size <= 1) return;
  throw new HitlError('USAGE', `${sessions.size} sessions wait for an answer: say which one`, {
    hint: 'hitl inbox shows them; hitl answer <id> y',
  });
}

/** The answers of the command line, each with the interrupt that it names; else one line of stdin. */
async function answersOf(
  io: Io,
  flags: AnswerFlags,
  words: readonly string[],
): Promise<readonly (readonly [string | undefined, string])[]> {
  const text = words.length > 0 ? words.join(' ') : undefined;
  if (flags.answer !== undefined && flags.answer.length > 0) return flags.answer;
  if (text !== undefined) return [[flags.interrupt, text]];
  if (io.stdin.isTTY)
    throw new HitlError('USAGE', 'no answer was given', {
      hint: 'hitl answer <id> y, or n <reason>, or edit {json}',
    });
  const line = await createLineSource(io.stdin).next(new AbortController().signal);
  if (line === undefined)
    throw new HitlError('USAGE', 'no answer was given, and stdin is empty', { hint: 'hitl answer <id> y' });
  return [[flags.interrupt, line.text]];
}

/**
 * Refuses a session that cannot be read to its end: nobody knows what is open in it. Nothing is told from the rest of
 * it.
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

interface OneAnswer {
  readonly store: SessionStore;
  readonly id: SessionId;
  readonly wanted: string | undefined;
  readonly text: string;
}

async function answerOne(
  io: Io,
  flags: AnswerFlags,
  { store, id, wanted, text }: OneAnswer,
): Promise<ExitStatus> {
  const state = await readState(store, id);
  const interrupt = chooseInterrupt(state, wanted, id);
  const tool = toolOf(interrupt, state);
  const parsed = parseAnswer(text, { interrupt, ...(tool !== undefined && { tool }) });
  if (!parsed.ok) {
    throw new HitlError('BAD_ANSWER', unescapeText(parsed.message), {
      hint: `what fits: ${parsed.fits.join(' · ')}`,
    });
  }
  const { resolution, always } = parsed.answer;
  if (always !== undefined) throw noRuleHere(interrupt, id);
  const decided: Answer = {
    id: interrupt.id,
    digest: interrupt.digest,
    resolution,
    by: asMember(personElsewhere(io), interrupt),
  };
  const large = answerTooLarge(decided);
  if (large !== undefined) throw large;
  checkFits(state, decided);
  const delivered = await deliver(io, store, id, decided);
  const isVote = delivered.type === 'voted';
  const after = openInterrupts(await readState(store, id)).filter((open) => isVote || open.id !== decided.id);
  say(io, flags, { id, interrupt, answer: decided, after, delivered });
  return after.length > 0 ? 3 : 0;
}

/** Rules of a session are kept by whoever runs it: an approval that promises one and adds none would be a lie. */
function noRuleHere({ source }: Interrupt, id: SessionId): HitlError {
  const tool = source.type === 'tool' ? source.name : '<tool>';
  return new HitlError('BAD_ANSWER', '`always` is not taken from another terminal: it would add no rule', {
    hint: `hitl answer ${id} y, and for later calls: hitl rules add allow ${tool}`,
  });
}

function checkFits(state: RunState, decided: Answer): void {
  const problem = answerProblem(state, decided);
  if (problem === undefined) return;
  if (problem.kind === 'not-eligible')
    throw new HitlError('NOT_ELIGIBLE', problem.message, { hint: 'nothing was kept; they may answer it' });
  throw new HitlError('BAD_ANSWER', problem.message, {
    hint: 'the interrupt is still open; answer it again',
  });
}

async function readState(store: SessionStore, id: SessionId): Promise<RunState> {
  await using session = await store.open(id, 'read');
  return session.state;
}

function chooseInterrupt(state: RunState, wanted: string | undefined, id: SessionId): Interrupt {
  const open = openInterrupts(state);
  if (wanted !== undefined) return named(state, open, wanted);
  const [only] = open;
  if (only === undefined) {
    const last = state.resolved.at(-1);
    const before =
      last === undefined
        ? ''
        : `; the last one, ${last.interrupt.id}, was answered by ${actorName(last.by)}: ${last.resolution.action}`;
    throw new HitlError('ALREADY_ANSWERED', `nothing is open in session ${id}${before}`, {
      hint: `hitl resume ${id}`,
    });
  }
  if (open.length > 1) {
    throw new HitlError('USAGE', `${open.length} interrupts are open; say which one`, {
      hint: `--interrupt ${open.map((one) => one.id).join(' | ')}`,
    });
  }
  return only;
}

function named(state: RunState, open: readonly Interrupt[], wanted: string): Interrupt {
  const found = open.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  const answered = state.resolved.toArray().find(({ interrupt }) => interrupt.id === wanted);
  if (answered !== undefined) {
    throw new HitlError(
      'ALREADY_ANSWERED',
      `interrupt ${wanted} was answered already by ${actorName(answered.by)}: ${answered.resolution.action}`,
      {
        hint: 'an answer counts once; `hitl show` tells what came of it',
      },
    );
  }
  const passed = passedOn(state, wanted);
  if (passed !== undefined) throw new HitlError('ALREADY_ANSWERED', passed, { hint: 'hitl inbox' });
  const ids = open.map(({ id }) => id).join(', ');
  throw new HitlError('INTERRUPT_NOT_FOUND', `no interrupt \`${wanted}\``, {
    hint: ids === '' ? 'nothing is open' : `open: ${ids}`,
  });
}

/** Posts the answer; where somebody has the session, waits a little for whether it is used. */
async function deliver(io: Io, store: SessionStore, id: SessionId, decided: Answer): Promise<Delivered> {
  const delivered = await deliverAnswer(store, id, decided, {
    patience: () => AbortSignal.timeout(TAKEN_MS),
  });
  if (delivered.type === 'refused')
    throw new HitlError('ALREADY_ANSWERED', `the answer was not used: ${delivered.why}`);
  if (delivered.type === 'left')
    tell(io.stderr, shown`the answer is saved; the process that has the session has not taken it yet`);
  return delivered;
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
  }: {
    readonly id: SessionId;
    readonly interrupt: Interrupt;
    readonly answer: Answer;
    readonly after: readonly Interrupt[];
    readonly delivered: Delivered;
  },
): void {
  if (outputFormatOf(flags) !== 'text') {
    const open = after.map((one) => one.id);
    const votes = delivered.type === 'voted' && { votes: votesCount(interrupt, delivered.votes) };
    printJson(io, { session: id, interrupt: interrupt.id, resolution, digest, open, ...votes }, 'line');
    return;
  }
  if (flags.quiet === true) return;
  tell(
    io.stderr,
    shown`recorded: ${interrupt.id} ${escapeText(resolution.action)} (${escapeText(digest.slice(0, 8))})`,
  );
  if (delivered.type === 'voted')
    tell(io.stderr, escapeText(`it ${approversWords(interrupt, delivered.votes) ?? ''}`));
  for (const one of after.filter(({ id: open }) => open !== interrupt.id))
    tell(io.stderr, shown`still open: ${one.id} ${oneLineOf(one)}`);
  if (delivered.type === 'voted') tell(io.stderr, shown`hint: hitl show ${id}`);
  else if (delivered.type === 'taken' && after.length === 0)
    tell(io.stderr, shown`the session that runs goes on by itself`);
  else if (flags.run !== true)
    tell(io.stderr, after.length > 0 ? shown`hint: hitl answer ${id}` : shown`hint: hitl resume ${id}`);
}
