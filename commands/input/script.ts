import { resolve } from 'node:path';
import type { HumanChannel, Session, ToolRule, TurnSource } from '../../src/core/index.js';
import { HitlError, openInterrupts, readRule } from '../../src/core/index.js';
import { rulePlace } from '../config/project-place.js';
import type { AnswersFile, Line, LineSource } from '../../src/human/index.js';
import { createLineSource, createScriptedInput, noLines, parseAnswersFile } from '../../src/human/index.js';
import type { Io } from '../host/index.js';
import type { RunFlags } from '../flags/options.js';
import { userName } from '../host/index.js';
import { readAll } from './first-text.js';
import { namedText } from './named-text.js';

/** Turns and answers for a run without a user. They come from flags, an answers file, and stdin. */
export interface Script {
  readonly turns: TurnSource;
  /**
   * Answers from flags and the answers file. They take precedence over rules, because each is for a specific
   * interrupt.
   */
  readonly answers: HumanChannel;
  /** Rules from the answers file. */
  readonly rules: readonly ToolRule[];
  /** Returns answers from stdin. If there are none, determines what happens. */
  readonly channel: HumanChannel;
  /** Unused lines from stdin. */
  leftovers(): Promise<readonly Line[]>;
  unusedAnswers(): readonly string[];
  close(): void;
}

/** How long to wait at the end for more lines on stdin, in milliseconds. */
const LATE_LINES_MS = 100;

/**
 * @throws HitlError USAGE if the answers file is unreadable, BAD_ANSWER or BAD_INPUT if its contents are
 * invalid.
 */
export async function composeScript(
  io: Io,
  flags: RunFlags,
  { session, readsStdin }: { readonly session: Session; readonly readsStdin: boolean },
): Promise<Script> {
  const isTaken = flags.isAlone === true || flags.answers === '-' || flags.message === '-';
  const lines = readsStdin && !isTaken && !io.stdin.isTTY ? createLineSource(io.stdin) : noLines();
  const text = flags.answers === undefined ? undefined : await answersText(io, flags.answers);
  const file = text === undefined ? undefined : parseAnswersFile(text, flags.answers ?? '');
  const actorName = userName();
  const given = createScriptedInput({
    lines: noLines(),
    onInterrupt: 'stop', // left to whoever comes next
    actorName,
    sessionId: session.id,
    askedBefore: new Set(openInterrupts(session.state).map(({ id }) => id)),
    ...(file !== undefined && { answers: file.answers }),
    ...(flags.answer !== undefined && { answerFlags: new Map(flags.answer) }),
    ...(flags.strictAnswers !== undefined && { strictAnswers: flags.strictAnswers }),
  });
  const input = createScriptedInput({
    lines,
    format: flags.inputFormat ?? 'text',
    // A person who is asked afterwards takes what the script leaves open.
    onInterrupt: readsStdin ? (flags.onInterrupt ?? 'stop') : onInterruptAtTerminal(flags),
    actorName,
  });
  return {
    turns: input.turns,
    answers: given.channel,
    rules: rulesOf(io, file),
    channel: input.channel,
    unusedAnswers: () => given.unusedAnswers(),
    leftovers: () => lateLines(lines, () => input.leftovers()),
    close: () => {
      input.close();
    },
  };
}

/** @throws HitlError BAD_INPUT for an unreadable rule. */
function rulesOf(io: Io, file: AnswersFile | undefined): readonly ToolRule[] {
  return (file?.allows ?? []).map(({ text, place }) => {
    const rule = readRule('allow', text, place, rulePlace(io));
    if (rule.problem === undefined) return rule;
    throw new HitlError('BAD_INPUT', `${place}: invalid rule \`${text}\`: ${rule.problem}`, {
      hint: 'hitl rules add --help',
    });
  });
}

function onInterruptAtTerminal({ onInterrupt }: RunFlags): 'stop' | 'deny' {
  return onInterrupt === 'deny' ? 'deny' : 'stop';
}

async function answersText(io: Io, file: string): Promise<string> {
  if (file === '-') return readAll(io);
  const path = resolve(io.cwd, file);
  const hint = 'check the `--answers` path; - reads stdin';
  return namedText(path, `the answers file \`${path}\``, { hint });
}

/** Returns unused lines. If there are none, waits briefly for lines that arrive late. */
async function lateLines(lines: LineSource, arrived: () => readonly Line[]): Promise<readonly Line[]> {
  if (arrived().length > 0) return arrived();
  try {
    const line = await lines.next(AbortSignal.timeout(LATE_LINES_MS));
    if (line === undefined) return [];
    return line.text.trim() === '' ? await lateLines(lines, arrived) : [line, ...arrived()];
  } catch {
    return []; // nothing came, or what came is no text: nothing was asked for it either
  }
}
