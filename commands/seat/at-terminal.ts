import { tmpdir } from 'node:os';
import type { AskResult, HumanChannel, Interrupt, TurnSource } from '../../src/core/index.js';
import { asksAlways, FOLDS_KEY } from '../../src/human/index.js';
import type { EarlyAnswer, KeepRule, LineSource } from '../../src/human/index.js';
import { appliedRows } from '../../src/render/index.js';
import {
  confirmEarly,
  confirmOne,
  createLinePerson,
  TerminalChannel,
  editorOf,
} from '../../src/human/seated.js';
import type { RulesInForce } from '../agent/rules-in-force.js';
import type { Io } from '../host/index.js';
import { asMember, personHere } from '../host/index.js';
import { columnsOf } from '../screen/terminal-facts.js';
import { setEcho } from '../screen/echo.js';
import type { Seat } from './seat.js';

/** Labels for yes and no. */
export interface YesNo {
  readonly yes: string;
  readonly no: string;
}

/** The user of a session, who answers questions and sends messages. */
export interface TerminalPeople {
  readonly channel: HumanChannel;
  readonly turns: TurnSource;
  /** Asks hitl's own yes-or-no questions. Anything except a deliberate yes means no. */
  readonly confirm: (message: string, words: YesNo, signal: AbortSignal) => Promise<boolean>;
  /**
   * Shows a question and an answer that was given elsewhere, and asks whether to use the answer. If absent,
   * all such answers are used.
   */
  readonly confirmEarly?: (early: EarlyAnswer, signal: AbortSignal) => Promise<boolean>;
  forget(): void;
  restore(): void;
}

/** Creates the channel, turns and prompts for a user at a terminal. */
export function atTerminal(
  io: Io,
  { device, theme, look, input, composer, turns, work }: Seat,
  { rules, keep }: { readonly rules: RulesInForce; readonly keep: KeepRule },
): TerminalPeople {
  const { clock, env } = io;
  const editor = editorOf({ env, tempDir: tmpdir(), stdio: [input, io.stderr] });
  const channel = new TerminalChannel({
    device,
    clock,
    theme: look,
    actor: personHere(io, 'terminal'),
    offersAlways: (interrupt) => !asksAlways(interrupt, rules.all),
    keep,
    aside: (open, how, signal, waiting) => {
      if (how === 'Ctrl-C') composer.noteInterrupt();
      return composer.putAside(open, signal, waiting);
    },
    alert: { env, workedMs: () => work.sinceLastKey() },
    changed: (interrupt, resolution, columns) =>
      appliedRows({ interrupt, resolution }, { theme, columns }, FOLDS_KEY),
    ...(editor !== undefined && { editor }),
  });
  return {
    channel: {
      interactive: true,
      ask: (open, state, signal, help) =>
        work.asking(async () => known(await channel.ask(open, state, signal, help), open)),
    },
    turns,
    confirm: (message, words, signal) =>
      work.asking(() => confirmOne({ device, clock, theme: look }, { message, ...words }, signal)),
    confirmEarly: (early, signal) =>
      work.asking(() => confirmEarly({ device, clock, theme: look }, early, signal)),
    forget() {
      channel.forget();
    },
    restore() {
      device.restore();
    },
  };
}

/** Adds the user's groups to an answer if the question's approvers include a group. */
function known(result: AskResult, open: readonly Interrupt[]): AskResult {
  const asked = result.type === 'answered' && open.find(({ id }) => id === result.answer.id);
  if (result.type !== 'answered' || asked === false || asked === undefined) return result;
  return { ...result, answer: { ...result.answer, by: asMember(result.answer.by, asked) } };
}

/** Creates the channel, turns and prompts for a user at a terminal that only supports line input. */
export function inLines(io: Io, lines: LineSource): TerminalPeople {
  const person = createLinePerson({
    lines,
    write: (text) => void io.stderr.write(text),
    clock: io.clock,
    actor: personHere(io, 'terminal'),
    columns: () => columnsOf(io.stderr).columns,
    echo: (isShown) => setEcho(io, isShown),
  });
  const { channel, turns, confirm } = person;
  return {
    channel: {
      ...(channel.interactive !== undefined && { interactive: channel.interactive }),
      ask: async (open, state, signal) => known(await channel.ask(open, state, signal), open),
    },
    turns,
    confirm: (message, _words, signal) => confirm(message, signal),
    confirmEarly: person.confirmEarly,
    forget: person.forget,
    restore() {
      lines.close();
    },
  };
}
