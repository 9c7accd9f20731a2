import type { Interrupt, InterruptSource, NodeSource, InterruptKind } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, membersOf } from '../data/json.js';
import { count, firstRow, plainLine, onOneLine } from '../data/plain-line.js';
import { escapeText } from '../data/escape.js';
import { assertNever } from '../data/assert.js';
import { operationAsked } from '../state/operation.js';
import type { RunState } from '../state/state.js';
import { textOf } from '../data/message.js';
import { readDiff } from '../data/diff.js';
import { grantIn } from '../question/grant.js';
import { toWellFormed } from '../data/well-formed.js';

/** Title of a call or question: one line that is safe to print. */
export interface Title {
  readonly text: string;
  /** The title without the values that the question shows below it. */
  readonly lead: string;
  /** Input properties whose values the title shows in full. */
  readonly shows: readonly string[];
  /** The command in the title, if the title shows one in full. */
  readonly command?: string;
}

/** Maximum width of an untrusted name in text from hitl, in columns. */
const NAME_COLUMNS = 80;
/** Maximum length of a command that a title shows in full, in characters. */
const COMMAND_LENGTH = 240;
/** Maximum length of a node's question that is used as a title, in characters. */
const QUESTION_LENGTH = 60;
/** Maximum width of each input value in a title, in columns, and maximum number of values. */
const VALUE_COLUMNS = 40;
const VALUES = 3;

/** Formats an untrusted name for use in text from hitl. */
function shownName(name: string): string {
  const shown = plainLine(name, NAME_COLUMNS);
  // A name of the usual letters cannot be taken for words of ours.
  return /^[A-Za-z0-9_.:/#-]+…?$/.test(shown) ? shown : `"${shown.replaceAll('"', '\\u{22}')}"`;
}

/** Returns the name of the node that asks, or of the operation in its code: `healthy`, `healthy#2`. */
export function raiserOf({ nodeId, operation }: NodeSource): string {
  return operation?.replace(/#1$/, '') ?? nodeId;
}

/**
 * Returns the name of a decision's subject: the tool, the node or the run. For an in-doubt question, a gate
 * or an error in workflow code, the subject is the operation (`install a 7`).
 */
export function subjectOf(interrupt: Interrupt): string {
  const operation = operationAsked(interrupt);
  return operation === undefined
    ? subjectOfSource(interrupt.source)
    : plainLine(operation.name, NAME_COLUMNS);
}

/** Returns the name of an interrupt's subject: the tool, the node or the run. */
export function subjectOfSource(source: InterruptSource): string {
  switch (source.type) {
    case 'tool':
      return shownName(source.name);
    case 'node':
      return shownName(raiserOf(source));
    case 'run':
      return 'the run';
    default:
      return assertNever(source);
  }
}

/**
 * Describes the answer that a call needs: an approval if the approval check asks, or a confirmation if the
 * tool asks.
 */
export function confirmationWords(source: InterruptSource): string {
  const isApproval = source.type === 'tool' && source.raisedBy === 'approval';
  return isApproval ? 'needs your approval' : 'needs your confirmation';
}

/** Maximum length of a tool's title, in characters. */
const LONGEST = 200;

/** Normalizes the title from a tool to one line of at most 200 characters; `undefined` if it is invalid. */
export function keptTitle(said: unknown): string | undefined {
  if (typeof said !== 'string') return undefined;
  const characters = Array.from(onOneLine(toWellFormed(said.slice(0, LONGEST * 4))));
  if (characters.length === 0) return undefined;
  return characters.length <= LONGEST ? characters.join('') : `${characters.slice(0, LONGEST - 1).join('')}…`;
}

/** Matches a value that cannot be mistaken for an ordinary word in a sentence. */
const PLAIN_WORD = /^(?=.*[\p{N}.:/@_])[\p{L}\p{N}_]+(?:[.:/@-][\p{L}\p{N}_]+)*$/u;

/**
 * Returns the keys of the input properties that a title shows. Their values appear in the title as separate
 * words, and cannot be mistaken for ordinary words.
 */
function membersIn(title: string, input: JsonValue): readonly string[] {
  if (!isJsonObject(input)) return [];
  const words = title.split(/\s+/u).map((word) => word.replace(/^[("'“`$€£]+|[)"'”`,.;:!?]+$/gu, ''));
  return Object.entries(input).flatMap(([key, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const at = PLAIN_WORD.test(String(value)) ? words.indexOf(String(value)) : -1;
    if (at < 0) return [];
    words.splice(at, 1);
    return [key];
  });
}

/** Returns the title of an interrupt, from its call or its question. */
export function titleOf(interrupt: Interrupt): Title {
  const { source, kind, payload } = interrupt;
  if (source.type !== 'tool') return plainTitle(shortQuestion(kind, payload) ?? subjectOf(interrupt));
  const asked = kind === 'question' ? askedBy(source.input, payload) : undefined;
  if (asked !== undefined) return plainTitle(escapeText(`${askingCall(interrupt)}${asked}`));
  if (source.title === undefined) return callTitle(source.name, source.input, payload);
  return { ...plainTitle(escapeText(source.title)), shows: membersIn(source.title, source.input) };
}

/**
 * Formats the name of the call or program that asks, as a prefix for its question: `shop: Order asks: `. The
 * result is not escaped. It is empty for a tool that asks only on behalf of the model, and for one without a
 * title.
 */
export function askingCall({ source, kept, atOnce, payload }: Interrupt): string {
  const isOfBody = kept !== undefined || atOnce === true;
  const { from } = membersOf(payload);
  // The title of a tool by which programs ask says which one does.
  const asks = typeof from === 'string' ? `${from} asks: ` : undefined;
  if (asks !== undefined && source.type === 'tool' && source.title?.startsWith(asks) === true) return asks;
  return isOfBody && source.type === 'tool' && source.title !== undefined ? `${source.title} asks: ` : '';
}

/** Returns a node's question if it is short; workflow questions often contain everything to be reviewed. */
function shortQuestion(kind: Interrupt['kind'], payload: JsonValue): string | undefined {
  const asked = kind === 'question' ? questionOf(payload) : undefined;
  return asked === undefined || asked.length > QUESTION_LENGTH || asked.includes('\n')
    ? undefined
    : escapeText(asked);
}

function plainTitle(text: string): Title {
  return { text, lead: text, shows: [] };
}

/** Returns the question that a tool asks. It is not escaped. */
export function askedBy(input: JsonValue, payload: JsonValue): string | undefined {
  return questionOf(payload) ?? questionOf(input);
}

function questionOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return undefined;
  return [value['question'], value['prompt'], value['message']].find((text) => typeof text === 'string');
}

/**
 * Describes a call. Built-in tools have their own wording; for other tools, the title is the name and the
 * first values.
 */
function callTitle(name: string, input: JsonValue, payload: JsonValue = true): Title {
  const members = membersOf(input);
  const shown = membersOf(payload);
  const lead = shownName(name);
  return builtInTitle(name, members, shown) ?? { text: `${lead}${valuesOf(members)}`, lead, shows: [] };
}

/**
 * Describes a call in one line that is safe to print: the title from the tool, or the wording for a built-in
 * tool; `undefined` for other calls.
 */
export function callTitleOf(call: StartedCall): string | undefined {
  const { name, input, title } = call;
  if (title !== undefined) return escapeText(title);
  return builtInTitle(name, membersOf(input), {})?.text;
}

/**
 * Describes a call in one line that is safe to print, for example in the line that reports its decision. The
 * text is the call's title or, without one, its name and first values.
 */
export function callWordsOf({ name, input, title }: StartedCall): string {
  return title === undefined ? callTitle(name, input).text : escapeText(title);
}

/** A started call. */
export interface StartedCall {
  readonly name: string;
  readonly input: JsonValue;
  /** The title provided by the tool. */
  readonly title?: string;
}

function builtInTitle(name: string, input: JsonObject, payload: JsonObject): Title | undefined {
  switch (name) {
    case 'run_command':
      return commandTitle(input);
    case 'edit_file':
      return memberTitle('Edit', input, 'path', changeOf(payload));
    case 'write_file':
      return memberTitle('Write', input, 'path', changeOf(payload));
    case 'read_file':
      return memberTitle('Read', input, 'path');
    case 'list_files':
      return memberTitle('List', input, 'path');
    case 'search_files':
      return memberTitle('Search for', input, 'pattern');
    case 'ask_user':
      return memberTitle('Ask', input, 'question');
    case 'fetch_url':
      return memberTitle('Fetch', input, 'url');
    default:
      return undefined;
  }
}

function memberTitle(verb: string, input: JsonObject, key: string, after = ''): Title | undefined {
  const value = input[key];
  if (typeof value !== 'string' || value.length > COMMAND_LENGTH) return undefined;
  return { ...plainTitle(`${verb} ${escapeText(value)}${after}`), shows: [key] };
}

/**
 * Returns the title of a command. Properties that are described in the details of its question are treated as
 * shown.
 */
function commandTitle(input: JsonObject): Title | undefined {
  const title = runTitleOf(input);
  return (
    title && {
      ...title,
      shows: [...title.shows, ...['writes', 'ask'].filter((name) => typeof input[name] === 'boolean')],
    }
  );
}

function runTitleOf({ command, argv }: JsonObject): Title | undefined {
  if (typeof command === 'string') {
    const isWhole = command.length <= COMMAND_LENGTH && !command.includes('\n');
    const text = isWhole ? escapeText(command) : plainLine(command, VALUE_COLUMNS);
    return runTitle(text, isWhole ? 'command' : undefined);
  }
  if (argv === undefined || !isJsonArray(argv)) return undefined;
  const words = argv.map((word) => (typeof word === 'string' ? shownWord(word) : JSON.stringify(word)));
  const text = words.join(' ');
  const isWhole = text.length <= COMMAND_LENGTH;
  return runTitle(isWhole ? text : cut(text), isWhole ? 'argv' : undefined);
}

function runTitle(command: string, shown: string | undefined): Title {
  const text = `Run \`${command}\``;
  return shown === undefined
    ? { text, lead: 'Run a command', shows: [] }
    : { text, lead: text, shows: [shown], command };
}

/** Truncates escaped text without splitting an escape sequence. */
function cut(shown: string): string {
  return `${firstRow(shown, VALUE_COLUMNS)}…`;
}

/** Quotes a word of a command if a shell would require it, although the command runs without a shell. */
function shownWord(word: string): string {
  const shown = escapeText(word);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", '\\u{27}')}'`;
}

function changeOf({ diff, facts }: JsonObject): string {
  const read = typeof diff === 'string' ? readDiff(diff) : undefined;
  if (read === undefined) return '';
  const isNew = isJsonObject(facts) && facts['change'] === 'creates the file';
  if (isNew) return `  new, ${count(read.added, 'line')}`;
  if (read.lines.length === 0) return ''; // the question says that nothing changes
  return `  +${read.added} −${read.removed}`;
}

function valuesOf(input: JsonObject): string {
  const scalars = Object.values(input).flatMap((value) =>
    typeof value === 'object' || value === '' ? [] : [String(value)],
  );
  const shown = scalars.slice(0, VALUES).map((value) => plainLine(value, VALUE_COLUMNS));
  return shown.length === 0 ? '' : `  ${shown.join(', ')}`;
}

/** Properties of an interrupt that determine its displayed content. */
interface Bringing {
  readonly kind: InterruptKind;
  readonly source: { readonly type: InterruptSource['type']; readonly operation?: string };
  readonly payload: JsonValue;
}

/**
 * Returns the content of an interrupt for display. For a workflow gate, it excludes the digests, which the
 * interrupt's own digest covers.
 */
export function shownPayload({ kind, source, payload }: Bringing): JsonValue {
  // The rows of a grant stand among its details, in words.
  if (source.type === 'tool' && isJsonObject(payload) && grantIn(payload) !== undefined) {
    const { grants: _rows, ...shown } = payload;
    return shown;
  }
  if (kind !== 'gate' || source.type !== 'node' || !isJsonObject(payload)) return payload;
  const { stateDigest: _state, ...agreed } = payload;
  if (source.operation === undefined) return agreed;
  const { plan: _plan, ...shown } = agreed;
  return shown;
}

const TITLE_LENGTH = 60;

/**
 * Returns the title of a session: the one that was set, or else the start of the first user message, in one
 * line of at most 60 characters. Empty if there are no user messages. The result is not escaped.
 */
export function sessionTitle(state: RunState): string {
  if (state.title !== undefined) return state.title;
  for (const { message } of state.entries) {
    const text = message.role === 'user' ? textOf(message).trim() : '';
    if (text !== '') return shorten(text);
  }
  return '';
}

function shorten(text: string): string {
  // Four times the length holds 60 code points and their white space, without looking at a whole pasted book.
  const characters = Array.from(text.slice(0, TITLE_LENGTH * 4).replace(/\s+/g, ' '));
  if (characters.length <= TITLE_LENGTH) return characters.join('');
  return `${characters
    .slice(0, TITLE_LENGTH - 1)
    .join('')
    .trimEnd()}…`;
}
