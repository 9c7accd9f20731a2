// Invariants:
// K1 Status 0 is an answer that a person gave, and nothing else is.
// K2 The question is saved before this program waits: whatever ends the program leaves it open.
// K3 An approval is printed by one asking. By its id it can be looked up again.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';

import type { JsonObject, JsonValue, SessionId, SessionStore, Shown } from '../src/core/index.js';
import {
  assertNever,
  escapeLines,
  escapeText,
  HitlError,
  isJsonObject,
  isSessionId,
  joined,
  laidOut,
  openInterrupts,
  parseStrictJson,
  present,
  safeJson,
  shown,
} from '../src/core/index.js';
import { commandBelow, questionView, renderQuestionPlain } from '../src/human/index.js';
import type { QuestionOutcome } from '../src/server/index.js';
import { askedWith } from './asking/asked.js';
import type { Questions } from './asking/questions.js';
import { namedText } from './input/named-text.js';
import { questionsHere } from './running/questions-here.js';
import { isOfProgram, outcomeOf } from './asking/standing.js';
import { Signals } from './exit/signals.js';
import type { SessionFlags } from './flags/options.js';
import type { Io } from './host/index.js';
import { folderWords, personHere, printJson, tell } from './host/index.js';
import { openStore } from './store/store.js';

interface AskFlags extends SessionFlags {
  readonly choices?: string;
  readonly yesNo?: boolean;
  /** Path of a JSON Schema file. */
  readonly form?: string;
  readonly text?: boolean;
  readonly facts?: Readonly<Record<string, string>>;
  /** Path of a unified diff file. */
  readonly diff?: string;
  readonly key?: string;
  readonly timeout?: string;
  readonly onTimeout?: string;
  readonly approvers?: string;
  readonly id?: string;
  /** Milliseconds. */
  readonly wait?: number;
  readonly detach?: boolean;
}

/** `hitl ask`: asks a person and prints the answer. */
export async function ask(io: Io, words: readonly string[], flags: AskFlags): Promise<number> {
  checkFlags(words, flags);
  using signals = new Signals({ clock: io.clock, interactive: false });
  const store = openStore(io, flags);
  const questions = questionsHere(io, store);
  const isAsked = flags.id === undefined;
  const id = isAsked ? await filed(io, words, flags, questions) : await known(store, flags.id);
  const given = { id, from: undefined };
  const before = await questions.standing(id, undefined, signals.leave);
  if (before.status === 'waiting' && flags.detach !== true && flags.wait !== 0)
    await tellWaiting(io, flags, store, id);
  try {
    const ms = flags.detach === true ? 0 : (flags.wait ?? Infinity);
    const standing = await questions.answered({ ...given, ms }, signals.leave);
    const account = (await questions.account(id)) ?? {};
    const handedOut = questions.giveOut(id, standing);
    return tellOutcome(io, flags, outcomeOf(id, isAsked ? handedOut : standing, account)); // K3
  } catch (thrown) {
    if (!signals.leave.aborted) throw thrown;
    if (flags.quiet !== true) tell(io.stderr, comeBack(id));
    return signals.status ?? 130;
  }
}

/** Mutually exclusive options that set the kind of a question. */
const KINDS = ['choices', 'yesNo', 'form', 'text'] as const;
const NAMES = { choices: '--choices', yesNo: '--yes-no', form: '--form', text: '--text' } as const;
/** Options that describe a question. */
const OF_QUESTION = [...KINDS, 'facts', 'diff', 'key', 'timeout', 'onTimeout', 'approvers'] as const;

/** @throws HitlError USAGE */
function checkFlags(words: readonly string[], flags: AskFlags): void {
  const [one, other] = KINDS.filter((kind) => flags[kind] !== undefined);
  if (one !== undefined && other !== undefined)
    throw new HitlError('USAGE', `${NAMES[one]} and ${NAMES[other]} cannot be used together`, {
      hint: 'a question can have only one kind of answer',
    });
  if (flags.detach === true && flags.wait !== undefined)
    throw new HitlError('USAGE', '--detach and --wait cannot be used together');
  if (flags.choices?.split(',').some((one) => one.trim() === '') === true)
    throw new HitlError('USAGE', '`--choices` cannot contain an empty choice', { hint: '--choices eu,us' });
  if (flags.onTimeout !== undefined && flags.timeout === undefined)
    throw new HitlError('USAGE', '--on-timeout requires --timeout', { hint: '--timeout 2d' });
  const isDescribed = words.length > 0 || OF_QUESTION.some((name) => flags[name] !== undefined);
  if (flags.id !== undefined && isDescribed)
    throw new HitlError('USAGE', '`--id` refers to an existing question; leave out the other options', {
      hint: 'hitl ask --id <id> --wait 10m',
    });
  if (flags.id === undefined && words.join(' ').trim() === '')
    throw new HitlError('USAGE', 'missing question', { hint: "hitl ask 'Deploy 2.1 to eu?'" });
}

/** Saves the question, or finds the existing one with the same key. @throws HitlError USAGE, BAD_INPUT */
async function filed(
  io: Io,
  words: readonly string[],
  flags: AskFlags,
  questions: Questions,
): Promise<SessionId> {
  const { choices, text, facts, key, timeout, onTimeout, approvers } = flags;
  const form = flags.form === undefined ? undefined : await formIn(io, flags.form);
  const diff = flags.diff === undefined ? undefined : await textIn(io, flags.diff, 'diff');
  const asked = {
    ...{ text, facts, timeout, onTimeout, approvers, form, diff },
    choices: choices?.split(',').map((one) => one.trim()),
  };
  return questions.ask({
    ...askedWith({ question: words.join(' '), ...present(asked) }),
    from: `a script in ${folderWords(io.cwd, io.home)}`.slice(0, LONGEST_NAME),
    connection: randomUUID(),
    door: ['ask', io.cwd],
    by: personHere(io, 'terminal'),
    ...present({ key }),
  });
}

/** Maximum length of an asking program's name, in characters. */
const LONGEST_NAME = 200;
/** Maximum size of a form or diff, in bytes. */
const MOST_BYTES = 1_000_000;

/** Reads a file specified by the user. @throws HitlError USAGE */
async function textIn(io: Io, named: string, what: string): Promise<string> {
  return namedText(resolve(io.cwd, named), `the ${what} ${named}`, { most: MOST_BYTES });
}

/** @throws HitlError USAGE */
async function formIn(io: Io, named: string): Promise<JsonObject> {
  const read = parseStrictJson(await textIn(io, named, 'form'));
  if (read.ok && isJsonObject(read.value)) return read.value;
  throw new HitlError(
    'USAGE',
    `the form ${named} is not a JSON object${read.ok ? '' : `: ${read.message}`}`,
    {
      hint: 'a form is a JSON Schema: {"type":"object","properties":{"region":{"type":"string"}}}',
    },
  );
}

/** @throws HitlError SESSION_NOT_FOUND */
async function known(store: SessionStore, named: string | undefined): Promise<SessionId> {
  if (named !== undefined && isSessionId(named)) {
    await using session = await store.open(named, 'read');
    if (isOfProgram(session.state)) return named;
  }
  throw new HitlError('SESSION_NOT_FOUND', `unknown question \`${named ?? ''}\``, {
    hint: 'use the id that `hitl ask` printed',
  });
}

/** Prints the open question and how to answer it, because the user may see only this terminal or log. */
async function tellWaiting(io: Io, flags: AskFlags, store: SessionStore, id: SessionId): Promise<void> {
  if (flags.quiet === true || flags.json === true) return;
  await using session = await store.open(id, 'read');
  const { state } = session;
  for (const interrupt of openInterrupts(state)) {
    const view = questionView(interrupt, state, { now: io.clock.now() });
    tell(io.stderr, renderQuestionPlain(view));
    tell(io.stderr, shown`hint: ${commandBelow(id, view)}, or hitl inbox`);
  }
}

function comeBack(id: SessionId): Shown {
  return shown`The question stays open: ${id}\nhint: hitl ask --id ${id}`;
}

/** Prints a question's outcome. @returns the exit status (K1) */
function tellOutcome(io: Io, flags: AskFlags, outcome: QuestionOutcome): number {
  const isJson = flags.json === true;
  const isQuiet = flags.quiet === true || isJson;
  if (isJson) printJson(io, outcome, 'line');
  const { id, status, by = 'somebody', reason } = outcome;
  const print = (words: Shown): void => {
    if (!isJson) io.stdout.write(shown`${words}\n`);
  };
  switch (status) {
    case 'waiting':
      if (flags.detach === true) print(escapeText(id));
      if (!isQuiet) tell(io.stderr, comeBack(id));
      return WAITING;
    case 'answered':
      print(valueWords(io, outcome.answer ?? null));
      return 0;
    case 'approved':
      print(shown`approved`);
      return 0;
    case 'rejected': {
      print(shown`rejected`);
      const why = reason === undefined ? shown`` : shown`: ${escapeText(reason)}`;
      if (!isQuiet) tell(io.stderr, shown`Rejected by ${escapeText(by)}${why}`);
      return REJECTED;
    }
    case 'used':
      throw new HitlError('DONE_ONCE', `the approval of ${id} was already printed and is valid only once`, {
        hint: `ask with another --key for another approval; hitl ask --id ${id} shows this one`,
      });
    default:
      return assertNever(status);
  }
}

/** Exit statuses for an open question and for a rejection. */
const WAITING = 3;
const REJECTED = 9;

/** Formats an answer. Strings are escaped on a terminal and unchanged for a script. */
function valueWords(io: Io, answer: JsonValue): Shown {
  if (typeof answer !== 'string') return shown`${safeJson(answer)}`;
  return io.stdout.isTTY ? joined(escapeLines(answer)) : laidOut(answer);
}
