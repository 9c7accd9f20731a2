import type {
  Answer,
  HumanChannel,
  Interrupt,
  Session,
  Shown,
  ToolDescriptor,
  ToolRule,
  ToolSet,
  TurnSource,
  AskResult,
  RunState,
} from '../../src/core/index.js';
import {
  decidedWords,
  doneOf,
  escapeText,
  HitlError,
  isAbout,
  meantHint,
  nearNames,
  readRule,
  joined,
  shown,
  shownResolution,
  count,
  isQuestion,
  nextTimer,
} from '../../src/core/index.js';
import { createPolicyChannel, firstOf, recordAnswers, shownKey } from '../../src/human/index.js';
import type { EarlyAnswer, KeepRule } from '../../src/human/index.js';
import type { RunOptions } from '../../src/engine/index.js';
import type { ConversationOptions } from '../../src/repl/index.js';
import { provenance, tell } from '../host/index.js';
import { reportError } from '../exit/report-error.js';
import { keepRule } from '../config/write-rules.js';
import { rulePlace } from '../config/project-place.js';

import type { Io } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Script } from '../input/script.js';
import { composeScript } from '../input/script.js';
import { limitedAnswers, limitedTurns } from '../input/size-limits.js';
import type { TerminalPeople } from './at-terminal.js';
import type { Seat } from './seat.js';
import { composeReviewer, maySpend } from '../agent/reviewer.js';
import type { ReviewStop } from '../../src/reviewer/index.js';
import { createReviewerChannel, isInForce } from '../../src/reviewer/index.js';
import type { RulesInForce } from '../agent/rules-in-force.js';
import { formatDuration, formatUntil } from '../../src/render/index.js';
import { atTerminal, inLines } from './at-terminal.js';

/** Prompt that asks whether to accept an answer given elsewhere. */
const ACCEPTING = {
  message: 'Answered elsewhere. Accept this answer?',
  yes: 'accept',
  no: 'refuse this and all other answers from elsewhere',
};

/** The people in a session: the channel that answers questions, and the source of the user's turns. */
export interface People {
  readonly channel: HumanChannel;
  readonly turns: TurnSource;
  /** Whether the local user accepts an answer from elsewhere. If absent, all such answers are accepted. */
  readonly takes?: NonNullable<ConversationOptions['takes']>;
  /** Whether a reviewer is active; absent if there is none. */
  readonly reviewedBy?: NonNullable<RunOptions['reviewedBy']>;
  /** Asks the local user one of hitl's own questions; absent if there is no user. */
  readonly confirm?: TerminalPeople['confirm'];
  /** Returns an error if some of the input was not used, and `undefined` otherwise. */
  checkLeftovers(): Promise<HitlError | undefined>;
  /** Discards unused answers that were given for a group of questions, because the user stopped the run. */
  forget(): void;
  /** Restores the terminal and releases stdin. */
  finish(): void;
}

export interface PeoplePlace {
  readonly mode: Mode;
  readonly session: Session;
  readonly tools: ToolSet;
  readonly rules: RulesInForce;
  /** The user's terminal, if there is one. */
  readonly seat?: Seat;
  /** Creates a user elsewhere, such as in an editor. Default: the user at the terminal. */
  readonly person?: (keep: KeepRule) => TerminalPeople;
  /** Lets the user stop an automatic review. */
  readonly aside?: () => ReviewStop;
}

/** Interval of the countdown, in milliseconds. */
const SECOND_MS = 1_000;

/**
 * Creates a channel for a run without a user. It waits for an answer from elsewhere or for the timeout. On a
 * terminal, it shows a countdown; otherwise, it describes the wait in one line.
 */
function patient(io: Io): HumanChannel {
  return {
    async ask(open, state, signal): Promise<AskResult> {
      const { stderr, clock } = io;
      const asked = open.filter(isQuestion).length;
      const words = (): Shown =>
        shown`${asked === 0 ? shown`sleeping` : shown`waiting for ${count(asked, 'answer')}`}${untilWords(state, clock.now())}`;
      if (!stderr.isTTY) tell(stderr, words());
      while (!signal.aborted) {
        if (stderr.isTTY) stderr.write(shown`\r\u001B[K${words()}`);
        await clock.sleep(SECOND_MS, signal).catch(() => undefined); // the signal says so above
      }
      if (stderr.isTTY) stderr.write(shown`\r\u001B[K`);
      return { type: 'left-open', why: 'stopped' };
    },
  };
}

/** Formats when the wait ends: ` until 09:00, in 1 min 59 s`. */
function untilWords(state: RunState, now: number): Shown {
  const timer = nextTimer(state);
  if (timer === undefined) return shown``;
  const left = Math.max(0, Math.ceil((timer.at - now) / SECOND_MS) * SECOND_MS);
  return shown` until ${formatUntil(new Date(timer.at).toISOString(), now)}, in ${formatDuration(left)}`;
}

/**
 * Combines the channels in order of precedence: denials, answers to specific interrupts, rules, stdin, and
 * the user. Without a terminal, the user is left out.
 */
export async function composePeople(io: Io, flags: RunFlags, place: PeoplePlace): Promise<People> {
  const { rules, tools } = place;
  const toolNow = (name: string): ToolDescriptor | undefined => tools.get(name);
  const denials = createPolicyChannel({
    get rules() {
      return rules.all;
    },
    denyOnly: true,
    toolNow,
  });
  // What a person keeps at a question counts from then on.
  const kept: ToolRule[] = [];
  const here = rulePlace(io);
  const keep = {
    place: here,
    rule: async (rule: ToolRule): Promise<void> => {
      const { served = [] } = rule;
      await keepRule(io, rule, here.folder);
      rules.bindKept(rule, served);
      kept.push(rule);
    },
  };
  const terminal = personAt(io, place, keep);
  const readsStdin = terminal === undefined;
  const script = await composeScript(io, flags, { session: place.session, readsStdin });
  // A rule that is made at a question answers that one, and none that is on the screen beside it.
  const asked = new Set<string>();
  const approvals = createPolicyChannel({
    get rules() {
      return [...rules.all, ...script.rules, ...kept];
    },
    toolNow,
    wasAsked: (interrupt) => asked.has(shownKey(interrupt)),
    now: () => io.clock.now(),
  });
  const person = terminal === undefined ? [] : [noting(asked, binding(terminal.channel, rules, toolNow))];
  if (flags.wait === true && terminal === undefined) person.push(patient(io));
  const reviewer = reviewing(io, flags, place);
  const answers = firstOf(script.channel, ...person);
  const { recordAnswers: file } = flags;
  const answering = file === undefined ? answers : await recordAnswers(answers, file, place.tools);
  // A person can say it again; a script cannot.
  const telling =
    terminal === undefined
      ? undefined
      : (problem: HitlError) => {
          tell(io.stderr, joined(reportError(problem).lines));
        };
  const accepts = flags.answersFrom === 'anywhere' ? undefined : terminal?.confirmEarly;
  return {
    ...(terminal !== undefined && { confirm: terminal.confirm }),
    ...(accepts !== undefined && {
      takes: (posted, interrupt, signal) => {
        const { state } = place.session;
        return accepts({ interrupt, state, ...postedAnswer(posted, interrupt), ...ACCEPTING }, signal);
      },
    }),
    ...(reviewer !== undefined && { reviewedBy: reviewer.reviewedBy }),
    channel: limitedAnswers(
      firstOf(
        denials,
        script.answers,
        approvals,
        ...(reviewer === undefined ? [] : [reviewer.channel]),
        answering,
      ),
      telling,
    ),
    // What was piped in as the message is the only turn of its run.
    turns: flags.message === '-' ? noTurns : limitedTurns(terminal?.turns ?? script.turns, telling),
    checkLeftovers: () => leftovers(script, flags),
    forget() {
      terminal?.forget();
    },
    finish() {
      script.close();
      terminal?.restore();
    },
  };
}

/** Wraps a channel to record each question that a person is asked. */
function noting(asked: Set<string>, channel: HumanChannel): HumanChannel {
  return {
    interactive: channel.interactive === true,
    async ask(open, state, signal, help) {
      for (const interrupt of open) asked.add(shownKey(interrupt));
      return channel.ask(open, state, signal, help);
    },
  };
}

/**
 * Rebinds the rules for a server tool whose definition changed if the user has seen the change and approved
 * the call. An approval from a script or another terminal applies only to the call.
 */
function binding(
  channel: HumanChannel,
  rules: RulesInForce,
  toolNow: (name: string) => ToolDescriptor | undefined,
): HumanChannel {
  return {
    interactive: channel.interactive === true,
    async ask(open, state, signal, help) {
      const result = await channel.ask(open, state, signal, help);
      if (result.type !== 'answered') return result;
      const { id, resolution } = result.answer;
      const asked = open.find((one) => one.id === id);
      const isYes = resolution.action === 'restart' && resolution.input === undefined;
      if (isYes && asked?.source.type === 'tool') rules.agreed(asked, toolNow(asked.source.name));
      return result;
    },
  };
}

/**
 * Creates the reviewer's channel, or returns `undefined` if no reviewer is configured. The reviewer runs
 * after the rules, only in `auto` mode, and only within the session's cost limit.
 */
function reviewing(
  io: Io,
  flags: RunFlags,
  { mode, session, rules, aside }: PeoplePlace,
): (Required<Pick<People, 'reviewedBy'>> & Pick<People, 'channel'>) | undefined {
  if (flags.reviewer === undefined) return undefined;
  const reviewer = composeReviewer(io, mode, flags.reviewer);
  const isYes = isInForce(reviewer, session);
  return {
    reviewedBy: (by, interrupt) => rules.mode === 'auto' && isYes(by, interrupt),
    channel: createReviewerChannel({
      reviewer,
      clock: io.clock,
      isOn: (state) => rules.mode === 'auto' && state.agent?.mode === 'auto' && maySpend(state, flags),
      ...(aside !== undefined && { stoppable: aside }),
    }),
  };
}

/**
 * Creates the channel through which the user answers, with single keys or line input. Returns `undefined` if
 * there is no user, for example in a script.
 */
function personAt(
  io: Io,
  { seat, person, mode, rules }: PeoplePlace,
  keep: KeepRule,
): TerminalPeople | undefined {
  if (person !== undefined) return person(keep);
  const lines = seat === undefined ? mode.lines?.() : undefined;
  if (seat === undefined && lines === undefined) return undefined;
  if (lines !== undefined) return inLines(io, lines);
  return seat && atTerminal(io, seat, { rules, keep });
}

/**
 * Formats an answer that was given elsewhere: the full decision, and the person and process that it came
 * from.
 */
export function postedAnswer(
  { by, resolution }: Answer,
  interrupt: Interrupt,
): Pick<EarlyAnswer, 'answer' | 'given' | 'by'> {
  const masked = shownResolution(resolution, { interrupt });
  const { verb, given: said } = decidedWords(interrupt, masked);
  const { text } = doneOf(interrupt, masked);
  const { action: _action, ...members } = masked;
  // What stands in the words whole is not repeated.
  const given = Object.fromEntries(Object.entries(members).filter(([, member]) => member !== text));
  return {
    answer: shown`${verb}${said === '' ? shown`` : shown`  ${said}`}`,
    given,
    by: escapeText(provenance(by)),
  };
}

const noTurns: TurnSource = {
  next: () => Promise.resolve({ type: 'end', why: 'stdin was used for the message' }),
};

/** @throws HitlError USAGE if a tool to approve is unavailable. */
export function checkApprovals({ allow, yes, denyTool }: RunFlags, tools: ToolSet): void {
  const given = [
    ...(yes ?? []).map((text) => ['--yes', text] as const),
    ...(allow ?? []).map((text) => ['--allow', text] as const),
  ];
  const names = tools.descriptors.map((tool) => tool.name);
  for (const [flag, text] of given) {
    const { tool } = readRule('allow', text, flag);
    if (names.some((name) => isAbout({ tool }, name)) || denyTool?.includes(tool) === true) continue;
    throw new HitlError('USAGE', `\`${flag} ${text}\`: unknown tool`, {
      hint: meantHint(nearNames(tool, names).slice(0, 1), `valid tools: ${names.join(', ')}`),
    });
  }
}

async function leftovers(script: Script, { print }: RunFlags): Promise<HitlError | undefined> {
  const unused = script.unusedAnswers();
  if (unused.length > 0) {
    return new HitlError('BAD_ANSWER', `unused answers: ${unused.join(', ')}`, {
      hint: 'these answers did not match any question',
    });
  }
  if (print !== true) return undefined;
  const lines = await script.leftovers();
  if (lines.length === 0) return undefined;
  const named = lines.map(({ number, text }) => `line ${number} (${text})`).join(', ');
  return new HitlError('BAD_INPUT', `unused input: ${named}`, {
    hint: '`--print` accepts only one user turn; all progress is saved',
  });
}
