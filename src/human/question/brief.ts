// What a person has to see before the answer counts. Each fact stands once: what the title or the change shows is not
// repeated, and what is the same at every call of a tool is left to the view of the whole.
import type { Interrupt, JsonObject, JsonValue, ToolDescriptor } from '../../core/index.js';
import { escapeText, isJsonObject, jsonEquals, plainLine, readDiff, titleOf } from '../../core/index.js';
import type { QuestionLine } from '../values/index.js';
import { GUTTER, ownLine, quotedLines, shownKey, valueRows } from '../values/index.js';
import { diffLines } from './diff-lines.js';
import { newsLines } from './effect-lines.js';
import { newFacts } from './new-facts.js';
import { BUILT_IN } from './question-heading.js';
import type { QuestionMaterial } from './question-parts.js';
import { questionParts, saysPart, warningLine } from './question-parts.js';

/** How wide the description of a field may be, in columns. */
const NOTE_COLUMNS = 60;

/** The lines of a question, with as many unchanged lines around a change as are asked for. */
export function briefLines(material: QuestionMaterial, context: number): readonly QuestionLine[] {
  const { interrupt, warnings } = material;
  const { source, kind } = interrupt;
  if (source.type !== 'tool' || kind === 'question') return questionParts(material).lines;
  const covered = coveredOf(interrupt, material.tool);
  const isNews = (warning: (typeof warnings)[number]) =>
    warning.kind !== 'long' || !covered.includes(warning.place);
  return [
    ...warnings.filter(isNews).map(warningLine),
    ...newsLines(material),
    ...changeLines(interrupt, context),
    ...inputLines(source.input, covered, material.tool),
    ...newFacts(interrupt, material.tool),
    ...becauseLines(material),
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
    ([, value]) => typeof value === 'string' && texts.some((text) => text.includes(value)),
  );
  return [...shows, ...inDiff.map(([key]) => key)];
}

function isFromGate({ source }: Interrupt): boolean {
  return source.type === 'tool' && source.raisedBy === 'approval';
}

function changeLines(interrupt: Interrupt, context: number): readonly QuestionLine[] {
  const { payload } = interrupt;
  if (!isFromGate(interrupt) || !isJsonObject(payload) || typeof payload['diff'] !== 'string') return [];
  const read = readDiff(payload['diff']);
  if (read !== undefined) return diffLines(read, context);
  return payload['diff']
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({
      part: 'diff',
      tone: line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'quoted',
      gutter: GUTTER,
      text: escapeText(line),
    }));
}

function inputLines(
  input: JsonValue,
  covered: readonly string[],
  tool: ToolDescriptor | undefined,
): readonly QuestionLine[] {
  if (!isJsonObject(input)) return quotedLines('input', valueRows(input, undefined).rows);
  const rest = Object.fromEntries(
    Object.entries(input).filter(([key, value]) => !covered.includes(key) && !isUsual(key, value, tool)),
  );
  if (Object.keys(input).length === 0) return [ownLine('input', 'with no input')];
  if (Object.keys(rest).length === 0) return [];
  const notes = notesOf(tool?.inputSchema);
  return quotedLines('input', valueRows(rest, undefined).rows).map((line) => {
    const note = notes.get(line.label?.trimEnd() ?? '');
    return line.gutter !== GUTTER || line.text === '' || note === undefined ? line : { ...line, note };
  });
}

/** What a built-in tool takes where its input says nothing is no news. */
function isUsual(key: string, value: JsonValue, tool: ToolDescriptor | undefined): boolean {
  if (tool?.origin !== BUILT_IN) return false;
  const property = propertiesOf(tool.inputSchema)[key];
  const usual = isJsonObject(property) ? property['default'] : undefined;
  return usual !== undefined && jsonEquals(usual, value);
}

function propertiesOf(schema: JsonObject | undefined): JsonObject {
  const properties = schema?.['properties'];
  return isJsonObject(properties) ? properties : {};
}

/** What the schema says of each field, by the label of its row. */
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

/** Why it asks, and what the tool adds to its input. */
function becauseLines(material: QuestionMaterial): readonly QuestionLine[] {
  const { interrupt, content } = material;
  const { source, kind, payload } = interrupt;
  if (kind === 'in-doubt' || source.type !== 'tool') return [];
  const { text } = content;
  const isOneLine = text !== undefined && !text.includes('\n') && text !== '';
  const input = isJsonObject(source.input) ? source.input : {};
  const isNew = ([key, value]: readonly [string, JsonValue]) =>
    !(Object.hasOwn(input, key) && jsonEquals(input[key] ?? null, value));
  const added = isFromGate(interrupt) ? {} : Object.fromEntries(Object.entries(content.rest).filter(isNew));
  const because = kind === 'error' ? 'It says' : 'It asks because';
  return [
    ...(Object.keys(added).length === 0
      ? []
      : quotedLines('says', valueRows(added, undefined).rows).map((line) =>
          line.gutter === GUTTER && line.text !== '' ? { ...line, note: 'the tool adds this' } : line,
        )),
    ...(isOneLine
      ? [
          {
            part: 'says',
            tone: 'quoted',
            gutter: '',
            label: `${because}: `,
            text: escapeText(text),
          } as const,
        ]
      : text !== undefined || !isJsonObject(payload)
        ? saysPart({ ...material, content: { ...content, rest: {} }, limits: undefined }, 'says').lines
        : []),
  ];
}
