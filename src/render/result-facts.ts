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

/** The result of a call as it is shown: a few facts, and a text of which some lines are shown. */
export interface ShownResult {
  /** The tool completed but reports a failure: a command with an exit status other than 0. */
  readonly tellsFailure?: boolean;
  /** In our own words, safe for a terminal. */
  readonly facts: readonly string[];
  /** Foreign text. */
  readonly text?: string;
  /** Its last lines are shown, not the first ones: a program sums up at its end. */
  readonly isLog?: true;
  /** Everything else; absent if empty. */
  readonly rest?: JsonValue;
}

/** Columns of a text of one line: more than a screen has. */
const MOST_COLUMNS = 500;

/** Faster calls are shown without their duration. */
const WORTH_TELLING_MS = 100;

/** `0.8 s`; nothing for a negligible duration. */
export function tookFact(ms: number | undefined): readonly string[] {
  if (ms === undefined || ms < WORTH_TELLING_MS) return [];
  return [ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms)];
}

/** Formats a built-in tool's output in words; for others, separates its one multi-line text from the rest. */
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

/** `12 entries`, and their paths. */
function listed({ entries, more }: JsonObject): ShownResult | undefined {
  if (entries === undefined || !isJsonArray(entries)) return undefined;
  const paths = entries.map((entry) => bareText(membersOf(entry)['path'] ?? ''));
  const facts = [`${count(paths.length, 'entry', 'entries')}${more === true ? ', and more' : ''}`];
  return { facts, ...(paths.length > 0 && { text: paths.join('\n') }) };
}

/** `3 matches in 60 files`, and the lines. */
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

/** `17 lines`, `lines 3–17 of 300`: what was read of a text; `undefined` for anything else. */
export function readFacts({ fromLine, toLine, totalLines }: JsonObject): string | undefined {
  if (typeof fromLine !== 'number' || typeof toLine !== 'number') return undefined;
  if (fromLine === 1 && toLine === totalLines) return count(toLine, 'line');
  if (toLine < fromLine) return 'no lines';
  const all = typeof totalLines === 'number' ? ` of ${totalLines}` : '';
  return `lines ${fromLine}–${toLine}${all}`;
}

/** What `run_command` notes of a command that only reads and seems to have needed more; the rest is for the model. */
const READ_ONLY = /^(ran read-only): .+$/su;
/** What `run_command` notes of a command that a person stopped. */
const STOPPED = /^stopped by the user (after .+|at once)$/u;

/** What `run_command` notes of changes in a copy that did not come back; the rest is for the model. */
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

/** Returns the one multi-line text of an output, and the rest. */
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

/** One line for each file that a command changed in a copy: what changed, and why it did not come back. */
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
