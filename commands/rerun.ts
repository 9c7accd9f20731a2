import type { JsonValue, SessionId, SessionStore } from '../src/core/index.js';
import { HitlError, parseStrictJson, shown } from '../src/core/index.js';
import type { GoingBack, OnceAgain, RewoundBy } from '../src/repl/index.js';
import { goingBack, onceAgain, rewoundEvent } from '../src/repl/index.js';
import type { Mode } from './flags/mode.js';
import type { FlowFlags } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import type { Io } from './host/index.js';
import { personHere, printJson, tell } from './host/index.js';
import { againLines, lastingLines } from './report/lasting-effects.js';
import { confirmHere } from './screen/confirm-here.js';
import { openStore } from './store/store.js';
import { resumeSession } from './resume.js';

interface AgainFlags extends FlowFlags {
  /** Whether to repeat effects that have already happened. */
  readonly again?: boolean;
  /** Whether to show the plan without running it. */
  readonly dryRun?: boolean;
}

/**
 * `hitl rerun`: repeats an operation and everything after it, then continues. First lists the effects that
 * will be repeated.
 */
export async function rerun(
  io: Io,
  given: string,
  flags: AgainFlags & { readonly from: string },
): Promise<number> {
  return await goOnFrom(io, flags, { given, to: flags.from });
}

/** `hitl skip`: uses a value from a person as the result of an operation, then continues. */
export async function skip(
  io: Io,
  given: string,
  operation: string,
  flags: AgainFlags & { readonly output?: string },
): Promise<number> {
  return await goOnFrom(io, flags, {
    given,
    to: operation,
    instead: { output: flags.output === undefined ? null : valueOf(flags.output) },
  });
}

function valueOf(text: string): JsonValue {
  const json = parseStrictJson(text);
  if (!json.ok)
    throw new HitlError('USAGE', `\`--output\` requires JSON, got \`${text}\``, {
      hint: `quote a string: '"text"'`,
    });
  return json.value;
}

interface Wanted {
  readonly given: string;
  /** `review@2`, `healthy#2`. */
  readonly to: string;
  readonly instead?: { readonly output: JsonValue };
}

async function goOnFrom(io: Io, flags: AgainFlags, { given, to, instead }: Wanted): Promise<number> {
  const mode = modeOf(io, flags);
  const store = openStore(io, flags);
  const id = await store.resolve(given);
  const by = { by: personHere(io, 'terminal'), ...(instead && { given: instead }) };
  if (!(await wentBack(io, { flags, mode, store, id }, { to, by }))) return 0;
  return resumeSession(io, { ...flags, save: true }, { store, id, mode });
}

interface Place {
  readonly flags: AgainFlags;
  readonly mode: Mode;
  readonly store: SessionStore;
  readonly id: SessionId;
}

/**
 * Shows the effects, asks, and goes back. Returns false if nothing changed. Closes the session, so that the
 * next run can open it.
 */
async function wentBack(
  io: Io,
  { flags, mode, store, id }: Place,
  { to, by }: { readonly to: string; readonly by: RewoundBy },
): Promise<boolean> {
  await using session = await store.open(id, flags.dryRun === true ? 'read' : 'write');
  const back = await goingBack(session, to);
  const event = rewoundEvent(back, by);
  const again = onceAgain(back, by.given !== undefined);
  if (flags.dryRun === true) {
    if (flags.json === true) printJson(io, { session: id, from: back.name, again });
    else for (const line of linesOf(back, again)) tell(io.stdout, line);
    return false;
  }
  if (flags.quiet !== true) for (const line of linesOf(back, again)) tell(io.stderr, line);
  if (again.length > 0 && flags.again !== true && !(await isAgreed(io, { flags, mode, back, again }))) {
    tell(io.stderr, shown`Not changed`);
    return false;
  }
  await session.append([event]);
  await session.saveTranscript?.();
  return true;
}

/** Lists effects that will run again. If there are none, lists effects that are not undone. */
function linesOf({ tools, own }: GoingBack, again: readonly OnceAgain[]) {
  return again.length > 0 ? againLines(again) : lastingLines(tools, own);
}

interface Asked {
  readonly flags: AgainFlags;
  readonly mode: Mode;
  readonly back: GoingBack;
  readonly again: readonly OnceAgain[];
}

/** Asks for confirmation. If no one can be asked, refuses to repeat effects. */
async function isAgreed(io: Io, { flags, mode, back, again }: Asked): Promise<boolean> {
  if (!mode.interactive)
    throw new HitlError(
      'DONE_ONCE',
      `rerunning from \`${back.name}\` repeats effects that already happened`,
      {
        hint: 'add `--again` to allow this, or list the effects with `--dry-run`',
        detail: { again },
      },
    );
  const message = again.length === 1 ? 'Run it again?' : `Run all ${again.length} again?`;
  return confirmHere(io, flags, { message, yes: 'run again', no: 'change nothing' });
}
