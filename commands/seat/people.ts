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
  doneOf,
  escapeText,
  HitlError,
  isAbout,
  meantHint,
  nearNames,
  readRule,
  joined,
  shown,
  shownJson,
  shownResolution,
  count,
  isQuestion,
  nextTimer,
} from '../../src/core/index.js';
import { createPolicyChannel, firstOf, recordAnswers } from '../../src/human/index.js';
import type { KeepRule } from '../../src/human/index.js';
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
import type { RulesInForce } from '../agent/rules-in-force.js';
import { formatDuration, formatUntil } from '../../src/render/index.js';
import { atTerminal, inLines } from './at-terminal.js';

/** The keys and what they do where an answer came from elsewhere. */
const ACCEPTING = {
  message: 'Answered elsewhere. Accept it?',
  yes: 'accept',
  no: 'refuse this and any other answer from elsewhere',
};

/** The people of a session: who answers, and where user turns come from. */
export interface People {
  readonly channel: HumanChannel;
  readonly turns: TurnSource;
  /** Whether the person here takes an answer from elsewhere; absent: every one counts. */
  readonly takes?: NonNullable<ConversationOptions['takes']>;
  /** Asks the person here one question of the product's own; absent: nobody is here. */
  readonly confirm?: TerminalPeople['confirm'];
  /** Says what is wrong with input that nothing took; `undefined` where nothing is. */
  checkLeftovers(): Promise<HitlError | undefined>;
  /** Drops answers that were given for several interrupts at once and not used: the person stopped the run. */
  forget(): void;
  /** Sets the terminal back, and lets go of stdin. */
  finish(): void;
}

export interface PeoplePlace {
  readonly mode: Mode;
  readonly session: Session;
  readonly tools: ToolSet;
  readonly rules: RulesInForce;
  /** The place where a person sits; nobody does where it is absent. */
  readonly seat?: Seat;
}

/** The time between two looks at the clock, in milliseconds. */
const SECOND_MS = 1_000;

/**
 * A channel behind which nobody sits, and that does not give up: it waits for an answer from elsewhere, and for the
 * time. On a terminal the row counts down; elsewhere one line says what is waited for.
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

/** ` until 09:00, in 1 min 59 s` */
function untilWords(state: RunState, now: number): Shown {
  const timer = nextTimer(state);
  if (timer === undefined) return shown``;
  const left = Math.max(0, Math.ceil((timer.at - now) / SECOND_MS) * SECOND_MS);
  return shown` until ${formatUntil(new Date(timer.at).toISOString(), now)}, in ${formatDuration(left)}`;
}

/**
 * Puts those who answer in their order: what is denied first, then answers that are meant for one interrupt, then what
 * allows a tool, then stdin, then a person. Without a terminal there is no person.
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
  const approvals = createPolicyChannel({
    get rules() {
      return [...rules.all, ...script.rules, ...kept];
    },
    toolNow,
    now: () => io.clock.now(),
  });
  const person = terminal === undefined ? [] : [binding(terminal.channel, rules, toolNow)];
  if (flags.wait === true && terminal === undefined) person.push(patient(io));
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
        const answer = postedWords(posted, interrupt);
        return accepts({ interrupt, state: place.session.state, answer, ...ACCEPTING }, signal);
      },
    }),
    channel: limitedAnswers(firstOf(denials, script.answers, approvals, answering), telling),
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

/**
 * Binds rules for tools of servers anew where a person at the terminal saw what differs, and agreed to the call as it was
 * shown. A script and an answer from elsewhere agree to the call alone.
 */
function binding(
  channel: HumanChannel,
  rules: RulesInForce,
  toolNow: (name: string) => ToolDescriptor | undefined,
): HumanChannel {
  return {
    interactive: channel.interactive === true,
    async ask(open, state, signal) {
      const result = await channel.ask(open, state, signal);
      if (result.type !== 'answered') return result;
      const { id, resolution } = result.answer;
      const asked = open.find((one) => one.id === id);
      const isYes = resolution.action === 'restart' && resolution.input === undefined;
      if (isYes && asked?.source.type === 'tool') rules.agreed(asked, toolNow(asked.source.name));
      return result;
    },
  };
}

/** The person who is here, at keys or in lines; a script loads nothing of what they are asked with. */
function personAt(io: Io, { seat, mode, rules }: PeoplePlace, keep: KeepRule): TerminalPeople | undefined {
  const lines = seat === undefined ? mode.lines?.() : undefined;
  if (seat === undefined && lines === undefined) return undefined;
  if (lines !== undefined) return inLines(io, lines);
  return seat && atTerminal(io, seat, { rules, keep });
}

/** Says who answered elsewhere, by which process, and the whole answer. */
function postedWords({ by, resolution }: Answer, interrupt: Interrupt): Shown {
  const { action, ...given } = shownResolution(resolution, { interrupt });
  const { verb } = doneOf(interrupt, resolution);
  const more = Object.keys(given).length === 0 ? shown`` : shown` ${shownJson(given)}`;
  return shown`${escapeText(verb)}${more} (${escapeText(action)}), by ${escapeText(provenance(by))}`;
}

const noTurns: TurnSource = { next: () => Promise.resolve({ type: 'end', why: 'stdin was the message' }) };

/** @throws HitlError USAGE where a tool that is to be approved is not offered. */
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
      hint: 'no question matched them',
    });
  }
  if (print !== true) return undefined;
  const lines = await script.leftovers();
  if (lines.length === 0) return undefined;
  const named = lines.map(({ number, text }) => `line ${number} (${text})`).join(', ');
  return new HitlError('BAD_INPUT', `unused input: ${named}`, {
    hint: '`--print` takes one user turn; everything done is saved',
  });
}
