import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, HumanChannel, Session, ToolRule, ToolSet, TurnSource } from '../src/core/index.js';
import { HitlError, readRule } from '../src/core/index.js';
import {
  asksAlways,
  createLineHistory,
  createPolicyChannel,
  createTerminalChannel,
  createTerminalDevice,
  createTerminalTurns,
  editorOf,
  firstOf,
  processSignals,
  recordAnswers,
} from '../src/human/index.js';
import type { Theme } from '../src/render/index.js';
import { personHere } from './actor.js';
import type { Io } from './io.js';
import type { Mode } from './mode.js';
import type { RunFlags } from './options.js';
import { stateFolder } from './paths.js';
import type { Script } from './script.js';
import { composeScript } from './script.js';
import { reportError } from './report-error.js';
import { limitedAnswers, limitedTurns } from './size-limits.js';
import { slashCompletions } from './slash.js';
import { terminalTheme } from './terminal-here.js';

/** Who answers, and where user turns come from. */
export interface People {
  readonly channel: HumanChannel;
  readonly turns: TurnSource;
  /** What is wrong with input that nothing took; `undefined` where nothing is. */
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
  /** The terminal is gone. */
  readonly onHangUp: () => void;
}

/**
 * What is denied first, then answers that are meant for one interrupt, then what allows a tool, then stdin, then a
 * person; without a terminal there is no person.
 */
export async function composePeople(io: Io, flags: RunFlags, place: PeoplePlace): Promise<People> {
  checkApprovals(flags, place.tools);
  const rules = [...(flags.rules ?? []), ...(flags.denyTool ?? []).map(deniedByFlag)];
  const denials = createPolicyChannel({ rules, denyOnly: true });
  const approvals = createPolicyChannel({
    ...(flags.yes !== undefined && { yes: flags.yes }),
    ...(flags.dangerouslyApproveAll !== undefined && { approveAll: flags.dangerouslyApproveAll }),
    rules,
  });
  const { keys } = place.mode;
  const script = await composeScript(io, flags, { session: place.session, readsStdin: keys === undefined });
  const terminal = keys === undefined ? undefined : atTerminal(io, place, { input: keys(), rules });
  const person = terminal === undefined ? [] : [await recorded(terminal.channel, flags)];
  // A person can say it again; a script cannot.
  const tell =
    terminal === undefined
      ? undefined
      : (problem: HitlError) => void io.stderr.write(`${reportError(problem).lines.join('\n')}\n`);
  return {
    channel: limitedAnswers(firstOf(denials, script.answers, approvals, script.channel, ...person), tell),
    // What was piped in as the message is the only turn of its run.
    turns: flags.message === '-' ? noTurns : limitedTurns(terminal?.turns ?? script.turns, tell),
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

/** A tool that is not offered may still be asked about in a session that had it. */
function deniedByFlag(tool: string): ToolRule {
  return readRule('deny', tool, '--deny-tool');
}

const noTurns: TurnSource = { next: () => Promise.resolve({ type: 'end', why: 'stdin was the message' }) };

/** @throws HitlError USAGE where a tool that is to be approved is not offered. */
function checkApprovals({ yes, denyTool }: RunFlags, tools: ToolSet): void {
  for (const name of yes ?? []) {
    if (tools.get(name) !== undefined || denyTool?.includes(name) === true) continue;
    const known = tools.descriptors.map((tool) => tool.name).join(', ');
    throw new HitlError('USAGE', `\`--yes ${name}\`: there is no such tool`, {
      hint: `the tools are: ${known}`,
    });
  }
}

async function recorded(channel: HumanChannel, { recordAnswers: file }: RunFlags): Promise<HumanChannel> {
  return file === undefined ? channel : recordAnswers(channel, file);
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

/** A person at a terminal: questions are drawn on stderr, so that stdout stays data. */
function atTerminal(
  io: Io,
  { theme, onHangUp }: PeoplePlace,
  { input, rules }: { readonly input: NodeJS.ReadStream; readonly rules: readonly ToolRule[] },
): TerminalPeople {
  const { clock, env } = io;
  const device = createTerminalDevice({ input, output: io.stderr, clock, signals: processSignals(process) });
  device.hungUp.addEventListener('abort', onHangUp, { once: true });
  const look = terminalTheme(theme);
  const editor = editorOf({ env, tempDir: tmpdir(), stdio: [input, io.stderr] });
  const work = new WorkTime(clock);
  const channel = createTerminalChannel({
    device,
    clock,
    theme: look,
    actor: personHere(io, 'terminal'),
    offersAlways: (interrupt) => !asksAlways(interrupt, rules),
    alert: { env, workedMs: () => work.sinceLastKey() },
    ...(editor !== undefined && { editor }),
  });
  const history = createLineHistory(join(stateFolder(io), 'history'));
  const turns = createTerminalTurns({ device, clock, theme: look, complete: slashCompletions, history });
  return {
    channel: {
      interactive: true,
      ask: (open, state, signal) => work.asking(() => channel.ask(open, state, signal)),
    },
    turns: { next: (state, signal) => work.asking(() => turns.next(state, signal)) },
    forget() {
      channel.forget();
    },
    restore() {
      device.restore();
    },
  };
}

interface TerminalPeople {
  readonly channel: HumanChannel;
  readonly turns: TurnSource;
  forget(): void;
  restore(): void;
}

/** How long the program has worked since the person was last at the keys: long work rings the bell. */
class WorkTime {
  readonly #clock: Clock;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  sinceLastKey(): number {
    return this.#clock.now() - this.#since;
  }

  async asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } finally {
      this.#since = this.#clock.now();
    }
  }
}
