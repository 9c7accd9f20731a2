import type { Interrupt, InterruptSource, NodeSource, InterruptKind } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, membersOf } from '../data/json.js';
import { count, firstRow, plainLine, onOneLine } from '../data/plain-line.js';
import { escapeText } from '../data/escape.js';
import { assertNever } from '../data/assert.js';
import { operationAsked } from '../state/operation.js';
import { readDiff } from './diff.js';
import { toWellFormed } from '../data/well-formed.js';

/** The title of a call or a question: one line of safe text. */
export interface Title {
  readonly text: string;
  /** The same without the values that are shown below it where the call is asked about. */
  readonly lead: string;
  /** The members of the input that stand in it whole. */
  readonly shows: readonly string[];
}

/** The width that a name from outside may have in words of ours, in columns. */
const NAME_COLUMNS = 80;
/** A longer command is not taken into the title. */
const COMMAND_LENGTH = 240;
/** A longer question of a node is not its title, in characters. */
const QUESTION_LENGTH = 60;
/** The part of one value of a tool's input that a title takes, in columns, and the number of values. */
const VALUE_COLUMNS = 40;
const VALUES = 3;

/** A name from outside inside the product's own words. */
function shownName(name: string): string {
  const shown = plainLine(name, NAME_COLUMNS);
  // A name of the usual letters cannot be taken for words of ours.
  return /^[A-Za-z0-9_.:/#-]+…?$/.test(shown) ? shown : `"${shown.replaceAll('"', '\\u{22}')}"`;
}

/** Names the node that asks, or the operation of its code: `healthy`, `healthy#2`. */
export function raiserOf({ nodeId, operation }: NodeSource): string {
  return operation?.replace(/#1$/, '') ?? nodeId;
}

/**
 * Names what a person decides about: the tool, the node or the run, and in a doubt, at a gate or after a failure of code
 * the operation with what it is about, `install a 7`.
 */
export function subjectOf(interrupt: Interrupt): string {
  const operation = operationAsked(interrupt);
  return operation === undefined
    ? subjectOfSource(interrupt.source)
    : plainLine(operation.name, NAME_COLUMNS);
}

/** Names what an interrupt is about: the tool or node, or the run. */
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
 * Says what a confirmation needs: approval where the gate in front of a tool asks, else what the tool asks to be
 * confirmed.
 */
export function confirmationWords(source: InterruptSource): string {
  const isApproval = source.type === 'tool' && source.raisedBy === 'approval';
  return isApproval ? 'needs your approval' : 'needs your confirmation';
}

/** The characters that a tool's own title has at most. */
const LONGEST = 200;

/** A tool's own title as it is kept: text on one line, of at most 200 characters; `undefined` where it is none. */
export function keptTitle(said: unknown): string | undefined {
  if (typeof said !== 'string') return undefined;
  const characters = Array.from(onOneLine(toWellFormed(said.slice(0, LONGEST * 4))));
  if (characters.length === 0) return undefined;
  return characters.length <= LONGEST ? characters.join('') : `${characters.slice(0, LONGEST - 1).join('')}…`;
}

/** A word that can be taken for nothing but itself, and for no word of a sentence. */
const PLAIN_WORD = /^(?=.*[\p{N}.:/@_])[\p{L}\p{N}_]+(?:[.:/@-][\p{L}\p{N}_]+)*$/u;

/** The members of an input that a title shows: each is a name, an address or a number, and stands in it for itself. */
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

/** Says what an interrupt is about, in the words of the call that it stops or of the question that it asks. */
export function titleOf(interrupt: Interrupt): Title {
  const { source, kind, payload } = interrupt;
  if (source.type !== 'tool') return plainTitle(shortQuestion(kind, payload) ?? subjectOf(interrupt));
  const asked = kind === 'question' ? askedBy(source.input, payload) : undefined;
  if (asked !== undefined) return plainTitle(escapeText(`${askingCall(interrupt)}${asked}`));
  if (source.title === undefined) return callTitle(source.name, source.input, payload);
  return { ...plainTitle(escapeText(source.title)), shows: membersIn(source.title, source.input) };
}

/**
 * Names the call whose body asks, before its question: `shop: Order asks: `. Not safe yet. Empty for a tool that does
 * nothing but ask, and for one without words of its own.
 */
export function askingCall({ source, kept, atOnce }: Interrupt): string {
  const isOfBody = kept !== undefined || atOnce === true;
  return isOfBody && source.type === 'tool' && source.title !== undefined ? `${source.title} asks: ` : '';
}

/** The words of a node's question, where they are short: those of a workflow often hold the whole thing to look at. */
function shortQuestion(kind: Interrupt['kind'], payload: JsonValue): string | undefined {
  const asked = kind === 'question' ? questionOf(payload) : undefined;
  return asked === undefined || asked.length > QUESTION_LENGTH || asked.includes('\n')
    ? undefined
    : escapeText(asked);
}

function plainTitle(text: string): Title {
  return { text, lead: text, shows: [] };
}

/** Finds the words of a tool's question; they are not safe yet. */
export function askedBy(input: JsonValue, payload: JsonValue): string | undefined {
  return questionOf(payload) ?? questionOf(input);
}

function questionOf(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return undefined;
  return [value['question'], value['prompt'], value['message']].find((text) => typeof text === 'string');
}

/** Says what a call does: in words of ours for the tools that come with the product, else its name and first values. */
function callTitle(name: string, input: JsonValue, payload: JsonValue = true): Title {
  const members = membersOf(input);
  const shown = membersOf(payload);
  const lead = shownName(name);
  return builtInTitle(name, members, shown) ?? { text: `${lead}${valuesOf(members)}`, lead, shows: [] };
}

/**
 * Says what a call does, in one line of safe text: in the words of its tool, or in ours for the tools that come with
 * the product; `undefined` for all others.
 */
export function callTitleOf(call: StartedCall): string | undefined {
  const { name, input, title } = call;
  if (title !== undefined) return escapeText(title);
  return builtInTitle(name, membersOf(input), {})?.text;
}

/** A call that was started. */
interface StartedCall {
  readonly name: string;
  readonly input: JsonValue;
  /** The tool's own. */
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

function commandTitle({ command, argv }: JsonObject): Title | undefined {
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
    : { text, lead: text, shows: [shown] };
}

/** Safe text without its end, and without half a piece of its notation. */
function cut(shown: string): string {
  return `${firstRow(shown, VALUE_COLUMNS)}…`;
}

/** A word of a command that runs without a shell: in quotes where a shell would need them. */
function shownWord(word: string): string {
  const shown = escapeText(word);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", '\\u{27}')}'`;
}

function changeOf({ diff, facts }: JsonObject): string {
  const read = typeof diff === 'string' ? readDiff(diff) : undefined;
  if (read === undefined) return '';
  const isNew = isJsonObject(facts) && facts['change'] === 'creates the file';
  if (isNew) return `  new, ${count(read.added, 'line')}`;
  return `  +${read.added} −${read.removed}`;
}

function valuesOf(input: JsonObject): string {
  const scalars = Object.values(input).flatMap((value) =>
    typeof value === 'object' || value === '' ? [] : [String(value)],
  );
  const shown = scalars.slice(0, VALUES).map((value) => plainLine(value, VALUE_COLUMNS));
  return shown.length === 0 ? '' : `  ${shown.join(', ')}`;
}

/** An interrupt, as far as it says what it brings. */
interface Bringing {
  readonly kind: InterruptKind;
  readonly source: { readonly type: InterruptSource['type']; readonly operation?: string };
  readonly payload: JsonValue;
}

/**
 * Gives what a person is shown of what an interrupt brings: a gate of a workflow without the fingerprints by which the
 * program knows again what was agreed to. The digest of the question has them.
 */
export function shownPayload({ kind, source, payload }: Bringing): JsonValue {
  if (kind !== 'gate' || source.type !== 'node' || !isJsonObject(payload)) return payload;
  const { stateDigest: _state, ...agreed } = payload;
  if (source.operation === undefined) return agreed;
  const { plan: _plan, ...shown } = agreed;
  return shown;
}
