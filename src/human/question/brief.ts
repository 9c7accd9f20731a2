// What a person has to see before the answer counts. Each fact stands once: what the title or the change shows is not
// repeated, and what is the same at every call of a tool is left to the view of the whole.
import type { Diff, Interrupt, JsonObject, JsonValue, ToolDescriptor } from '../../core/index.js';
import {
  escapeText,
  grantIn,
  isJsonObject,
  jsonEquals,
  membersOf,
  plainLine,
  readDiff,
} from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import type { FoldLimits } from '../values/fold.js';
import { GUTTER, shownKey } from '../values/value-rows.js';
import { ownLine } from '../values/text-line.js';
import { diffLines } from '../difference/diff-lines.js';
import { formLines, passedOn } from './form-fields.js';
import { sinceLastApproval } from './last-approval.js';
import { newFacts, usualFacts } from './new-facts.js';
import { thoughtBefore } from './thought-before.js';
import { ageLines, effectLines, newsLines } from './effect-words.js';
import { BUILT_IN, leadOf, PARTS } from './words.js';
import type { Parts, QuestionMaterial } from './question-parts.js';
import {
  foldedLines,
  joinParts,
  questionParts,
  saysPart,
  valuePart,
  warningLine,
  whole,
  writtenDiff,
} from './question-parts.js';

/** Maximum width of a field's description, in columns. */
const NOTE_COLUMNS = 60;

/**
 * How a question shows a change: with all context lines, with fewer of them, or with old and new text in one
 * line.
 */
export type BriefForm = 'all' | 'tight' | 'folded';

/** Number of unchanged lines shown around a change. */
const CONTEXT: Readonly<Record<BriefForm, number>> = { all: 3, tight: 1, folded: 1 };

/** Returns a question's lines, along with the amount of content that is folded because of the limits. */
export function briefParts(material: QuestionMaterial, form: BriefForm): Parts {
  const { interrupt, warnings, tool, limits } = material;
  const { source, kind } = interrupt;
  if (source.type !== 'tool' || kind === 'question') return questionParts(material);
  const covered = coveredOf(interrupt, tool);
  const isNews = (warning: (typeof warnings)[number]) =>
    warning.kind !== 'long' || !covered.includes(warning.place);
  return joinParts([
    whole([...warnings.filter(isNews).map(warningLine), ...newsLines(material)]),
    foldedLines(changeLines(interrupt, form), limits),
    inputParts(material, covered),
    foldedLines(newFacts(interrupt, tool), limits),
    becauseParts(material),
    whole([
      ...wantedLines(interrupt),
      ...thoughtBefore(interrupt, material.state),
      // Since when it waits goes first where there is little room.
      ...(form === 'all' ? ageLines(material) : []),
    ]),
  ]);
}

/** Returns all lines of a question, unfolded. */
export function briefLines(material: QuestionMaterial, form: BriefForm): readonly QuestionLine[] {
  return briefParts({ ...material, limits: undefined }, form).lines;
}

/** Whether a question shows a file change line by line. */
export function hasChange(interrupt: Interrupt): boolean {
  return changeOf(interrupt) !== undefined;
}

/**
 * Returns the details that the question leaves out: details that are the same for every call, the effect of
 * running the call, and the differences from the last approved call.
 */
export function detailLines(
  material: QuestionMaterial,
  brief: readonly QuestionLine[],
): readonly QuestionLine[] {
  const { interrupt, state, tool } = material;
  const said = new Set(brief.map(({ text }) => text));
  return [
    ...(interrupt.kind === 'question' ? [] : usualFacts(interrupt, tool)),
    ...effectLines(material).filter(({ text }) => !said.has(text)),
    ...sinceLastApproval(interrupt, state),
  ];
}

/**
 * Returns the input properties that are already shown in full in the title, in the change or in the details
 * of a command.
 */
function coveredOf(interrupt: Interrupt, tool: ToolDescriptor | undefined): readonly string[] {
  const { source, payload } = interrupt;
  const shows = [
    ...leadOf(interrupt, tool).shows,
    ...toldBySandbox(interrupt, tool),
    ...(isGrant(interrupt, tool) ? GRANT_INPUT : []),
  ];
  if (source.type !== 'tool' || !isJsonObject(source.input)) return shows;
  const diff = isJsonObject(payload) && typeof payload['diff'] === 'string' ? payload['diff'] : undefined;
  const read = diff === undefined ? undefined : readDiff(diff);
  // Only the product's own tools are believed to make of their input what the change says.
  if (read === undefined || !isFromGate(interrupt) || tool?.origin !== BUILT_IN) return shows;
  const texts = [...read.before, ...read.after];
  const inDiff = Object.entries(source.input).filter(
    ([key, value]) =>
      typeof value === 'string' && (TEXTS.has(key) || texts.some((text) => text.includes(value))),
  );
  return [...shows, ...inDiff.map(([key]) => key)];
}

/** Input properties that are already shown in the details of a grant. */
const GRANT_INPUT = ['reason', 'calls', 'until'];

/** Whether the question comes from a built-in tool and its details show a grant row by row. */
function isGrant(interrupt: Interrupt, tool: ToolDescriptor | undefined): boolean {
  return isFromGate(interrupt) && tool?.origin === BUILT_IN && grantIn(interrupt.payload) !== undefined;
}

/** Returns the input properties of a command that the sandbox detail already describes. */
function toldBySandbox(interrupt: Interrupt, tool: ToolDescriptor | undefined): readonly string[] {
  const { source, payload } = interrupt;
  if (source.type !== 'tool' || source.name !== 'run_command' || tool?.origin !== BUILT_IN) return [];
  const { sandbox } = isFromGate(interrupt) ? membersOf(membersOf(payload)['facts']) : {};
  const isTold = typeof sandbox === 'string' && sandbox.endsWith(', network access');
  return isTold && membersOf(source.input)['network'] === true ? ['network'] : [];
}

/**
 * Text properties of the built-in tools that change files. Any part of the text that the change does not show
 * is already in the file.
 */
const TEXTS: ReadonlySet<string> = new Set(['content', 'oldText', 'newText']);

function isFromGate({ source }: Interrupt): boolean {
  return source.type === 'tool' && source.raisedBy === 'approval';
}

function changeOf(interrupt: Interrupt): Diff | undefined {
  const { payload } = interrupt;
  if (!isFromGate(interrupt) || !isJsonObject(payload) || typeof payload['diff'] !== 'string')
    return undefined;
  return readDiff(payload['diff']);
}

function changeLines(interrupt: Interrupt, form: BriefForm): readonly QuestionLine[] {
  const { payload } = interrupt;
  if (!isFromGate(interrupt) || !isJsonObject(payload) || typeof payload['diff'] !== 'string') return [];
  const read = changeOf(interrupt);
  if (read === undefined) return writtenDiff(payload['diff']);
  const isNew = isJsonObject(payload['facts']) && payload['facts']['change'] === 'creates the file';
  if (read.lines.length === 0) return isNew ? [] : [ownLine('diff', PARTS.noChange)];
  return diffLines(read, { context: CONTEXT[form], isWhole: form === 'all', isFolded: form === 'folded' });
}

/** Shows the call's input together with the details from the tool. */
function inputParts(material: QuestionMaterial, covered: readonly string[]): Parts {
  const { interrupt, tool, limits } = material;
  const { source } = interrupt;
  if (source.type !== 'tool') return whole([]);
  const { input } = source;
  if (!isJsonObject(input)) return valuePart('input', '', input, limits);
  const rest = Object.fromEntries(
    Object.entries(input).filter(([key, value]) => !covered.includes(key) && !isUsual(key, value, tool)),
  );
  const added = addedOf(material);
  const isEmpty = Object.keys(input).length === 0;
  // Of two values of one name each stands among its own.
  if (Object.keys(added).some((key) => Object.hasOwn(rest, key)))
    return joinParts([
      membersParts('input', rest, limits, () => undefined),
      membersParts('says', added, limits, () => PARTS.addsThis),
    ]);
  const notes = notesOf(tool?.inputSchema);
  const noteOf = (label: string): string | undefined =>
    Object.keys(added).some((key) => `${shownKey(key)}:` === label) ? PARTS.addsThis : notes.get(label);
  return joinParts([
    whole(isEmpty ? [ownLine('input', PARTS.noInput)] : []),
    membersParts('input', { ...rest, ...added }, limits, noteOf),
  ]);
}

function membersParts(
  part: 'input' | 'says',
  members: JsonObject,
  limits: FoldLimits | undefined,
  noteOf: (label: string) => string | undefined,
): Parts {
  if (Object.keys(members).length === 0) return whole([]);
  const { lines, hidden } = valuePart(part, '', members, limits);
  const noted = lines.map((line) => {
    const note = noteOf(line.label?.trimEnd() ?? '');
    return line.gutter !== GUTTER || line.text === '' || note === undefined ? line : { ...line, note };
  });
  return { lines: noted, hidden };
}

/** Whether a value of a built-in tool equals its default, so that it need not be shown. */
function isUsual(key: string, value: JsonValue, tool: ToolDescriptor | undefined): boolean {
  if (tool?.origin !== BUILT_IN) return false;
  const property = propertiesOf(tool.inputSchema)[key];
  const usual = isJsonObject(property) ? property['default'] : undefined;
  return usual !== undefined && jsonEquals(usual, value);
}

function propertiesOf(schema: JsonObject | undefined): JsonObject {
  return membersOf(schema?.['properties']);
}

/** Returns the descriptions of the schema's fields, by row label. */
function notesOf(schema: JsonObject | undefined): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(propertiesOf(schema)).flatMap(([key, property]): [string, string][] => {
      const description = isJsonObject(property) ? property['description'] : undefined;
      return typeof description === 'string'
        ? [[`${shownKey(key)}:`, plainLine(description, NOTE_COLUMNS)]]
        : [];
    }),
  );
}

/** Returns the values that an asking tool shows in addition to its input. */
function addedOf({ interrupt, content }: QuestionMaterial): JsonObject {
  const { source, kind } = interrupt;
  if (source.type !== 'tool' || kind === 'in-doubt' || isFromGate(interrupt)) return {};
  const input = membersOf(source.input);
  const isNew = ([key, value]: readonly [string, JsonValue]) =>
    !(kind === 'error' && key === 'code') && // the title says it
    !(Object.hasOwn(input, key) && jsonEquals(input[key] ?? null, value));
  return Object.fromEntries(Object.entries(content.rest).filter(isNew));
}

/** Lists the values that an approval must pass to the tool. The next prompt asks for them. */
function wantedLines(interrupt: Interrupt): readonly QuestionLine[] {
  const schema = passedOn(interrupt);
  return schema === undefined ? [] : [ownLine('says', `${PARTS.wants}${formLines(schema).join(', ')}`)];
}

/** Returns the lines that explain why the question is asked. */
function becauseParts(material: QuestionMaterial): Parts {
  const { interrupt, content, limits } = material;
  const { source, kind, payload } = interrupt;
  if (kind === 'in-doubt' || source.type !== 'tool') return whole([]);
  const { text } = content;
  if (text !== undefined && !text.includes('\n') && text !== '') {
    const label = kind === 'error' ? PARTS.says : PARTS.because;
    return foldedLines([{ part: 'says', tone: 'quoted', gutter: '', label, text: escapeText(text) }], limits);
  }
  return text !== undefined || !isJsonObject(payload)
    ? saysPart({ ...material, content: { ...content, rest: {} } }, 'says')
    : whole([]);
}
