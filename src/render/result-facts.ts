import {
  bareText,
  count,
  escapeText,
  isJsonArray,
  isJsonObject,
  membersOf,
  plainLine,
} from '../core/index.js';
import type { JsonObject, JsonValue } from '../core/index.js';
import { formatDuration } from './time.js';

/** The result of a call for display: a few facts, and text that is shown in part. */
export interface ShownResult {
  /**
   * Whether the tool completed but reports a failure, for example a command with an exit status other than 0.
   */
  readonly tellsFailure?: boolean;
  /** Short descriptions, safe for a terminal. */
  readonly facts: readonly string[];
  /** Foreign text. */
  readonly text?: string;
  /** Whether to show the last lines instead of the first. Programs usually print a summary at the end. */
  readonly isLog?: true;
  /** The remaining output. Absent if empty. */
  readonly rest?: JsonValue;
}

/** Maximum width of a one-line text, in columns; wider than any screen. */
const MOST_COLUMNS = 500;

/** Minimum duration of a call for its time to be shown, in milliseconds. */
const WORTH_TELLING_MS = 100;

/** Formats a duration: `0.8 s`. Empty if it is negligible. */
export function tookFact(ms: number | undefined): readonly string[] {
  if (ms === undefined || ms < WORTH_TELLING_MS) return [];
  return [ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms)];
}

/**
 * Describes the output of a built-in tool in words. For other tools, separates the output's only multi-line
 * string from the rest.
 */
export function shownResult(name: string, output: JsonValue): ShownResult {
  return (isJsonObject(output) ? builtIn(name, output) : undefined) ?? withText(output);
}

function builtIn(name: string, output: JsonObject): ShownResult | undefined {
  switch (name) {
    case 'run_command':
      return commandResult(output);
    case 'read_file': {
      const facts = readFacts(output);
      return facts === undefined ? undefined : { facts: [facts] };
    }
    case 'list_files':
      return listed(output);
    case 'search_files':
      return found(output);
    case 'write_file': {
      const { bytes } = output;
      return typeof bytes === 'number' ? { facts: [`${bytes.toLocaleString('en-US')} bytes`] } : undefined;
    }
    case 'edit_file': {
      const { line } = output;
      return typeof line === 'number' ? { facts: [`line ${line}`] } : undefined;
    }
    default:
      return undefined;
  }
}

/** Describes listed files: `12 entries`, followed by their paths. */
function listed({ entries, more }: JsonObject): ShownResult | undefined {
  if (entries === undefined || !isJsonArray(entries)) return undefined;
  const paths = entries.map((entry) => bareText(membersOf(entry)['path'] ?? ''));
  const facts = [`${count(paths.length, 'entry', 'entries')}${more === true ? ', and more' : ''}`];
  return { facts, ...(paths.length > 0 && { text: paths.join('\n') }) };
}

/** Describes search results: `3 matches in 60 files`, followed by the lines. */
function found({ matches, filesSearched, more }: JsonObject): ShownResult | undefined {
  if (matches === undefined || !isJsonArray(matches) || typeof filesSearched !== 'number') return undefined;
  const lines = matches.map((match) => {
    const { path = '', line = '', text = '' } = membersOf(match);
    return `${bareText(path)}:${bareText(line)}: ${bareText(text)}`;
  });
  const all = `${count(lines.length, 'match', 'matches')}${more === true ? ' or more' : ''}`;
  return {
    facts: [`${all} in ${count(filesSearched, 'file')}`],
    ...(lines.length > 0 && { text: lines.join('\n') }),
  };
}

/**
 * Describes the part of a text that was read: `17 lines`, `lines 3–17 of 300`. `undefined` for any other
 * output.
 */
export function readFacts({ fromLine, toLine, totalLines }: JsonObject): string | undefined {
  if (typeof fromLine !== 'number' || typeof toLine !== 'number') return undefined;
  if (fromLine === 1 && toLine === totalLines) return count(toLine, 'line');
  if (toLine < fromLine) return 'no lines';
  const all = typeof totalLines === 'number' ? ` of ${totalLines}` : '';
  return `lines ${fromLine}–${toLine}${all}`;
}

/**
 * Matches the `run_command` note about a read-only command that seems to have needed write access. The rest
 * of the note is meant for the model.
 */
const READ_ONLY = /^(ran read-only): .+$/su;
/** Matches the `run_command` note about a command that the user stopped. */
const STOPPED = /^stopped by the user (after .+|at once)$/u;

/**
 * Matches the `run_command` note about changes in a copy that were not kept. The rest of the note is meant
 * for the model.
 */
const NOT_KEPT = /^(\d+ changes? not kept|nothing that it changed is kept: .+)\. If .+$/su;

function commandResult(result: JsonObject): ShownResult | undefined {
  const { exitCode, signal, output, omittedCharacters: _omitted, notes, changed, heldBack, ...rest } = result;
  if (typeof output !== 'string') return undefined;
  const told =
    notes !== undefined && isJsonArray(notes)
      ? notes.flatMap((note) => (typeof note === 'string' ? [note] : []))
      : [];
  const stopped = told.map((note) => STOPPED.exec(note)?.[1]).find((when) => when !== undefined);
  const end =
    stopped !== undefined
      ? [`stopped ${escapeText(stopped)}`]
      : typeof exitCode === 'number'
        ? [`exit ${exitCode}`]
        : typeof signal === 'string'
          ? [`ended by ${escapeText(signal)}`]
          : [];
  const words = told.filter((note) => !STOPPED.test(note)).map(inShort);
  const files = fileLines(changed, heldBack);
  const printed = output.trim() === '' ? [] : [files.length === 0 ? output : output.trimEnd()];
  const text = [...printed, ...files].join('\n');
  return {
    tellsFailure: exitCode !== 0,
    facts: [...end, ...words.map((note) => escapeText(note))],
    ...(text !== '' && { text, isLog: true }),
    ...(Object.keys(rest).length > 0 && { rest }),
  };
}

/** Separates the only multi-line string in an output from the rest. */
function withText(output: JsonValue): ShownResult {
  if (typeof output === 'string' && output.trimEnd().includes('\n')) return { facts: [], text: output };
  if (typeof output === 'string' && output.trim() !== '') return { facts: [plainLine(output, MOST_COLUMNS)] };
  if (!isJsonObject(output)) return { facts: [], rest: output };
  for (const [key, text] of Object.entries(output)) {
    if (typeof text === 'string' && text.trimEnd().includes('\n')) {
      const rest = Object.entries(output).filter(([other, value]) => other !== key && value !== null);
      return { facts: [], text, rest: Object.fromEntries(rest) };
    }
  }
  return { facts: [], rest: output };
}

function inShort(note: string): string {
  return note.replace(READ_ONLY, '$1').replace(NOT_KEPT, '$1');
}

/**
 * Formats one line for each file that a command changed in a copy, with the kind of change and, if it was not
 * kept, the reason.
 */
function fileLines(changed: JsonValue = [], heldBack: JsonValue = []): readonly string[] {
  const rows = (value: JsonValue): readonly JsonObject[] => (isJsonArray(value) ? value.map(membersOf) : []);
  return [
    ...rows(changed).map(({ path = '', change, added, removed }) => {
      const lines = typeof added === 'number' && typeof removed === 'number' ? `  +${added} −${removed}` : '';
      const what = change === 'changed' ? '' : `  ${bareText(change ?? '')}`;
      return `${bareText(path)}${what}${lines}`;
    }),
    ...rows(heldBack).map(({ path = '', why = '' }) => `not kept: ${bareText(path)} (${bareText(why)})`),
  ];
}
