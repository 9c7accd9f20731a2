import { tmpdir } from 'node:os';
import type {
  Answer,
  HumanChannel,
  Interrupt,
  Session,
  ToolRule,
  ToolSet,
  TurnSource,
} from '../../src/core/index.js';
import {
  doneOf,
  escapeText,
  HitlError,
  isAbout,
  meantHint,
  nearNames,
  readRule,
  titleOf,
  joined,
} from '../../src/core/index.js';
import {
  asksAlways,
  confirmOne,
  createPolicyChannel,
  createLinePerson,
  createTerminalChannel,
  editorOf,
  firstOf,
  recordAnswers,
} from '../../src/human/index.js';
import type { KeepRule } from '../../src/human/index.js';
import type { ConversationOptions } from '../../src/repl/index.js';
import type { Theme } from '../../src/render/index.js';
import { columnsOf, setEcho } from '../screen/index.js';
import { personHere, provenance, tell } from '../host/index.js';
import { reportError } from '../exit/index.js';
import { keepRule, rulePlace } from '../config/index.js';

import type { Io } from '../host/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import type { Script } from '../input/index.js';
import { composeScript, limitedAnswers, limitedTurns } from '../input/index.js';
import { patient } from './patient.js';
import type { Seat } from './seat.js';
import type { RulesInForce } from '../agent/index.js';

/** The people of a session: who answers, and where user turns come from. */
export interface People {
  readonly channel: HumanChannel;
  readonly turns: TurnSource;
  /** Whether the person here takes an answer from elsewhere; absent: every one counts. */
  readonly takes?: NonNullable<ConversationOptions['takes']>;
  /** Says what is wrong with input that nothing took; `undefined` where nothing is. */
  checkLeftovers(): Promise<HitlError | undefined>;
  /** Drops answers that were given for several interrupts at once and not used: the person stopped the run. */
  forget(): void;
  /** Sets the terminal back, and lets go of stdin. */
  finish(): void;
}

export interface PeoplePlace {
  readonly mode: Mode;
  readonly theme: Theme;
  readonly session: Session;
  readonly tools: ToolSet;
  readonly rules: RulesInForce;
  /** The place where a person sits; nobody does where it is absent. */
  readonly seat?: Seat;
}

/**
 * Puts those who answer in their order: what is denied first, then answers that are meant for one interrupt, then what
 * allows a tool, then stdin, then a person. Without a terminal there is no person.
 */
export async function composePeople(io: Io, flags: RunFlags, place: PeoplePlace): Promise<People> {
  const { seat, rules } = place;
  const denials = createPolicyChannel({
    get rules() {
      return rules.all;
    },
    denyOnly: true,
  });
  // What a person keeps at a question counts from then on.
  const kept: ToolRule[] = [];
  const keep = { place: rulePlace(io), rule: (rule: ToolRule) => keepHere(io, rule, kept) };
  const terminal = seat === undefined ? await inLines(io, place.mode) : atTerminal(io, seat, { rules, keep });
  const readsStdin = terminal === undefined;
  const script = await composeScript(io, flags, { session: place.session, readsStdin });
  const approvals = createPolicyChannel({
    get rules() {
      return [...rules.all, ...script.rules, ...kept];
    },
  });
  const person = terminal === undefined ? [] : [terminal.channel];
  if (flags.wait === true && terminal === undefined) person.push(patient(io));
  const answering = await recorded(firstOf(script.channel, ...person), flags, place.tools);
  // A person can say it again; a script cannot.
  const telling =
    terminal === undefined
      ? undefined
      : (problem: HitlError) => {
          tell(io.stderr, joined(reportError(problem).lines));
        };
  const takes = flags.answersFrom === 'anywhere' ? undefined : terminal?.confirm;
  return {
    ...(takes !== undefined && {
      takes: (posted, interrupt, signal) => takes(postedWords(posted, interrupt), signal),
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

/** The keys and what they do where an answer came from elsewhere. */
const TAKING = { yes: 'take it', no: 'do not take it; no other from elsewhere either' };

/** Says who answered what elsewhere, and why it does not count by itself; safe for a terminal. */
function postedWords({ by, resolution }: Answer, interrupt: Interrupt): string {
  const { verb } = doneOf(interrupt, resolution);
  const said = `${escapeText(provenance(by))} ${verb}: ${titleOf(interrupt).text}`;
  return `${said}. A command of this session ran without a sandbox and may have answered for you. Take it?`;
}

/** Writes a rule for this folder into the person's configuration. @throws HitlError SAVE_FAILED, BAD_CONFIG. */
async function keepHere(io: Io, rule: ToolRule, kept: ToolRule[]): Promise<void> {
  await keepRule(io, rule, rulePlace(io).folder);
  kept.push(rule);
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
    throw new HitlError('USAGE', `\`${flag} ${text}\`: there is no such tool`, {
      hint: meantHint(nearNames(tool, names).slice(0, 1), `the tools are: ${names.join(', ')}`),
    });
  }
}

async function recorded(
  channel: HumanChannel,
  { recordAnswers: file }: RunFlags,
  tools: ToolSet,
): Promise<HumanChannel> {
  return file === undefined ? channel : recordAnswers(channel, file, tools);
}

async function leftovers(script: Script, { print }: RunFlags): Promise<HitlError | undefined> {
  const unused = script.unusedAnswers();
  if (unused.length > 0) {
    return new HitlError('BAD_ANSWER', `answers were left unused: ${unused.join(', ')}`, {
      hint: 'nothing asked for them',
    });
  }
  if (print !== true) return undefined;
  const lines = await script.leftovers();
  if (lines.length === 0) return undefined;
  const named = lines.map(({ number, text }) => `line ${number} (${text})`).join(', ');
  return new HitlError('BAD_INPUT', `input was left over: ${named}`, {
    hint: '`--print` takes one user turn; everything done is saved',
  });
}

/** A person at a terminal, who is asked with everything that questions need. */
function atTerminal(
  io: Io,
  { device, look, input, composer, turns, work }: Seat,
  { rules, keep }: { readonly rules: RulesInForce; readonly keep: KeepRule },
): TerminalPeople {
  const { clock, env } = io;
  const editor = editorOf({ env, tempDir: tmpdir(), stdio: [input, io.stderr] });
  const channel = createTerminalChannel({
    device,
    clock,
    theme: look,
    actor: personHere(io, 'terminal'),
    offersAlways: (interrupt) => !asksAlways(interrupt, rules.all),
    keep,
    aside: (open, how, signal) => {
      if (how === 'Ctrl-C') composer.noteInterrupt(clock.now());
      return composer.putAside(open, signal);
    },
    alert: { env, workedMs: () => work.sinceLastKey() },
    ...(editor !== undefined && { editor }),
  });
  return {
    channel: {
      interactive: true,
      ask: (open, state, signal) => work.asking(() => channel.ask(open, state, signal)),
    },
    turns,
    confirm: (message, signal) =>
      work.asking(() => confirmOne({ device, clock, theme: look }, { message, ...TAKING }, signal)),
    forget() {
      channel.forget();
    },
    restore() {
      device.restore();
    },
  };
}

/** A person at a terminal that takes lines; nobody where it is another one. */
async function inLines(io: Io, mode: Mode): Promise<TerminalPeople | undefined> {
  const lines = await mode.lines?.();
  if (lines === undefined) return undefined;
  const { channel, turns, confirm } = createLinePerson({
    lines,
    write: (text) => void io.stderr.write(text),
    clock: io.clock,
    actor: personHere(io, 'terminal'),
    columns: () => columnsOf(io.stderr).columns,
    echo: (isShown) => setEcho(io, isShown),
  });
  return {
    channel,
    turns,
    confirm,
    forget: () => undefined,
    restore() {
      lines.close();
    },
  };
}

interface TerminalPeople {
  readonly channel: HumanChannel;
  readonly turns: TurnSource;
  readonly confirm: (message: string, signal: AbortSignal) => Promise<boolean>;
  forget(): void;
  restore(): void;
}
