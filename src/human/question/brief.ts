// What a person has to see before the answer counts. Each fact stands once: what the title or the change shows is not
// repeated, and what is the same at every call of a tool is left to the view of the whole.
import type { Diff, Interrupt, JsonObject, JsonValue, ToolDescriptor } from '../../core/index.js';
import {
  escapeText,
  isJsonObject,
  jsonEquals,
  membersOf,
  plainLine,
  readDiff,
  titleOf,
} from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER, shownKey, valueRows } from '../values/value-rows.js';
import { ownLine, quotedLines } from '../values/text-line.js';
import { diffLines } from '../difference/diff-lines.js';
import { formLines, passedOn } from './form-fields.js';
import { sinceLastApproval } from './last-approval.js';
import { newFacts, usualFacts } from './new-facts.js';
import { thoughtBefore } from './thought-before.js';
import { ageLines, effectLines, newsLines } from './effect-words.js';
import { BUILT_IN, PARTS } from './words.js';
import type { QuestionMaterial } from './question-parts.js';
import { questionParts, saysPart, warningLine, writtenDiff } from './question-parts.js';

/** The width that the description of a field may have, in columns. */
const NOTE_COLUMNS = 60;

/** How much of a change stands in a question: with all around it, with less, or with old and new in one line. */
export type BriefForm = 'all' | 'tight' | 'folded';

/** Unchanged lines around a change. */
const CONTEXT: Readonly<Record<BriefForm, number>> = { all: 3, tight: 1, folded: 1 };

/** The lines of a question. */
export function briefLines(material: QuestionMaterial, form: BriefForm): readonly QuestionLine[] {
  const { interrupt, warnings } = material;
  const { source, kind } = interrupt;
  if (source.type !== 'tool' || kind === 'question') return questionParts(material).lines;
  const covered = coveredOf(interrupt, material.tool);
  const isNews = (warning: (typeof warnings)[number]) =>
    warning.kind !== 'long' || !covered.includes(warning.place);
  return [
    ...warnings.filter(isNews).map(warningLine),
    ...newsLines(material),
    ...changeLines(interrupt, form),
    ...inputLines(material, covered),
    ...newFacts(interrupt, material.tool),
    ...becauseLines(material),
    ...wantedLines(interrupt),
    ...thoughtBefore(interrupt, material.state),
    // Since when it waits goes first where there is little room.
    ...(form === 'all' ? ageLines(material) : []),
  ];
}

/** Whether a question shows a change of a file, line by line. */
export function hasChange(interrupt: Interrupt): boolean {
  return changeOf(interrupt) !== undefined;
}

/**
 * What is the same at every call, how this one differs from the last that was approved, and what a run of it does, as far
 * as the question does not say it.
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
    ...sinceLastApproval(interrupt, state, undefined),
  ];
}

/** The members of the input that the title or the change shows whole. */
function coveredOf(interrupt: Interrupt, tool: ToolDescriptor | undefined): readonly string[] {
  const { source, payload } = interrupt;
  const { shows } = titleOf(interrupt);
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

/** The texts of the product's own tools that change files: what of them is not in the change, the file has already. */
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

/** Shows the call's input, next to the details that the tool adds. */
function inputLines(material: QuestionMaterial, covered: readonly string[]): readonly QuestionLine[] {
  const { interrupt, tool } = material;
  const { source } = interrupt;
  if (source.type !== 'tool') return [];
  const { input } = source;
  if (!isJsonObject(input)) return quotedLines('input', valueRows(input, undefined).rows);
  const rest = Object.fromEntries(
    Object.entries(input).filter(([key, value]) => !covered.includes(key) && !isUsual(key, value, tool)),
  );
  const added = addedOf(material);
  const isEmpty = Object.keys(input).length === 0;
  // Of two values of one name each stands among its own.
  if (Object.keys(added).some((key) => Object.hasOwn(rest, key)))
    return [
      ...membersLines('input', rest, () => undefined),
      ...membersLines('says', added, () => PARTS.addsThis),
    ];
  const notes = notesOf(tool?.inputSchema);
  const noteOf = (label: string): string | undefined =>
    Object.keys(added).some((key) => `${shownKey(key)}:` === label) ? PARTS.addsThis : notes.get(label);
  return [
    ...(isEmpty ? [ownLine('input', PARTS.noInput)] : []),
    ...membersLines('input', { ...rest, ...added }, noteOf),
  ];
}

function membersLines(
  part: 'input' | 'says',
  members: JsonObject,
  noteOf: (label: string) => string | undefined,
): readonly QuestionLine[] {
  if (Object.keys(members).length === 0) return [];
  return quotedLines(part, valueRows(members, undefined).rows).map((line) => {
    const note = noteOf(line.label?.trimEnd() ?? '');
    return line.gutter !== GUTTER || line.text === '' || note === undefined ? line : { ...line, note };
  });
}

/** Whether a built-in tool's value equals its default, which is not worth showing. */
function isUsual(key: string, value: JsonValue, tool: ToolDescriptor | undefined): boolean {
  if (tool?.origin !== BUILT_IN) return false;
  const property = propertiesOf(tool.inputSchema)[key];
  const usual = isJsonObject(property) ? property['default'] : undefined;
  return usual !== undefined && jsonEquals(usual, value);
}

function propertiesOf(schema: JsonObject | undefined): JsonObject {
  return membersOf(schema?.['properties']);
}

/** Returns the schema's description of each field, by row label. */
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

/** Returns what an asking tool shows in addition to its input. */
function addedOf({ interrupt, content }: QuestionMaterial): JsonObject {
  const { source, kind } = interrupt;
  if (source.type !== 'tool' || kind === 'in-doubt' || isFromGate(interrupt)) return {};
  const input = membersOf(source.input);
  const isNew = ([key, value]: readonly [string, JsonValue]) =>
    !(kind === 'error' && key === 'code') && // the title says it
    !(Object.hasOwn(input, key) && jsonEquals(input[key] ?? null, value));
  return Object.fromEntries(Object.entries(content.rest).filter(isNew));
}

/** Lists the values that an approval must pass to the tool; the next prompt asks for them. */
function wantedLines(interrupt: Interrupt): readonly QuestionLine[] {
  const schema = passedOn(interrupt);
  return schema === undefined ? [] : [ownLine('says', `${PARTS.wants}${formLines(schema).join(', ')}`)];
}

/** Says why it asks. */
function becauseLines(material: QuestionMaterial): readonly QuestionLine[] {
  const { interrupt, content } = material;
  const { source, kind, payload } = interrupt;
  if (kind === 'in-doubt' || source.type !== 'tool') return [];
  const { text } = content;
  if (text !== undefined && !text.includes('\n') && text !== '') {
    const label = kind === 'error' ? PARTS.says : PARTS.because;
    return [{ part: 'says', tone: 'quoted', gutter: '', label, text: escapeText(text) }];
  }
  return text !== undefined || !isJsonObject(payload)
    ? saysPart({ ...material, content: { ...content, rest: {} }, limits: undefined }, 'says').lines
    : [];
}
