import type { JsonObject, JsonValue, RunState } from '../../core/index.js';
import { assertNever, isJsonObject, membersOf, parseStrictJson, unescapeText } from '../../core/index.js';
import type { AnswerContext } from '../../human/index.js';
import {
  checkSchema,
  passedOn,
  patchOf,
  questionView,
  readField,
  readTaken,
  startOf,
  typesOf,
} from '../../human/index.js';
import type { ReadResolution } from '../answering/take-answer.js';
import { plain, readEdit, readFields } from './fields.js';
import { emptyOf, isPlainText } from './way-form.js';

/** Parses a form in the same way as a line typed at a terminal. A reviewed edit is submitted as `json`. */
export function readForm(form: URLSearchParams, context: AnswerContext, state: RunState): ReadResolution {
  const { interrupt, tool } = context;
  const way = questionView(interrupt, state).ways.find(({ key }) => key === form.get('way'));
  if (way === undefined) return no('this action is not available here');
  const inputSchema = interrupt.inputSchema ?? tool?.inputSchema;
  const taken = (text: string): ReadResolution => {
    const read = readTaken(way, text, { interrupt, inputSchema });
    return read.ok ? { ok: true, resolution: read.value } : no(read.why);
  };
  const json = form.get('json');
  const text = plain(form.get('text') ?? '').trim();
  switch (way.takes) {
    case 'nothing': {
      const schema = way.action === 'restart' ? passedOn(interrupt) : undefined;
      if (schema === undefined) return taken('');
      const read = readFields({ name: 'passed', schema, value: emptyOf(schema) }, form);
      return read.ok ? taken(JSON.stringify(read.value)) : no(read.why);
    }
    case 'answer':
      return interrupt.kind === 'question' ? readAnswer(form, context, state) : taken(text);
    case 'input': {
      if (json !== null) return taken(json);
      const { source } = interrupt;
      if (source.type !== 'tool') return no('no input to edit');
      const { editing } = tool ?? {};
      const read = readEdit({ schema: inputSchema ?? {}, value: source.input, editing }, form);
      return read.ok ? taken(JSON.stringify(read.value)) : no(read.why);
    }
    case 'patch': {
      if (json !== null) return taken(json);
      const after = parseStrictJson(text);
      if (!after.ok || !isJsonObject(after.value)) return no('must be a JSON object');
      const before = startOf(interrupt, state, way.action);
      return taken(JSON.stringify(patchOf(membersOf(before), after.value)));
    }
    case 'value':
      return taken(json ?? text);
    case 'reason':
    case 'guidance':
    case 'note':
    case 'node':
    case 'steps':
    case 'amount':
    case 'several':
      return taken(text);
    default:
      return assertNever(way);
  }
}

/**
 * Returns the values before and after an edit; `undefined` if the resolution is not an edit or is invalid.
 */
export function editOf(
  { resolution }: ReadResolution & { readonly ok: true },
  { interrupt }: AnswerContext,
  state: RunState,
): { readonly before: JsonValue; readonly after: JsonValue } | undefined {
  const { source } = interrupt;
  const { action } = resolution;
  if (action === 'restart')
    return source.type === 'tool'
      ? { before: source.input, after: resolution.input ?? source.input }
      : undefined;
  const before = startOf(interrupt, state, action);
  if (action === 'update-state' || action === 'change-condition')
    return { before, after: { ...membersOf(before), ...resolution.patch } };
  if (action === 'edit-input' || action === 'edit-output') return { before, after: resolution.value };
  return undefined;
}

function readAnswer(form: URLSearchParams, { interrupt }: AnswerContext, state: RunState): ReadResolution {
  const { choices, multiple, allowOther } = questionView(interrupt, state);
  const schema = interrupt.answerSchema;
  const other = plain(form.get('other') ?? '').trim();
  if (choices.length === 0) return readOpenAnswer(form, schema ?? {});
  const numbers = form.getAll('choice').map(Number);
  const picked = choices.flatMap(({ number, choice }) => (numbers.includes(number) ? [choice.value] : []));
  const values = allowOther && other !== '' ? [...picked, other] : picked;
  const [first] = values;
  if (!multiple && (first === undefined || values.length > 1)) return no('choose one');
  return fitting(multiple ? values : (first ?? null), schema);
}

function readOpenAnswer(form: URLSearchParams, schema: JsonObject): ReadResolution {
  const types = typesOf(schema);
  if (types.length > 0 && !isPlainText(types)) {
    const read = readFields({ name: 'answer', schema, value: emptyOf(schema) }, form);
    return read.ok ? fitting(read.value, schema) : no(read.why);
  }
  const text = plain(form.get('text') ?? '');
  if (types.length === 0) return fitting(text, schema);
  const reading = readField({ schema, required: true }, text, undefined);
  if (reading.type === 'value') return fitting(reading.value, schema);
  return no(reading.type === 'unreadable' ? reading.why : 'an answer is required');
}

function fitting(output: JsonValue, schema: JsonObject | undefined): ReadResolution {
  const issues = checkSchema(output, schema);
  if (issues.length > 0) return no(`invalid answer: ${issues.join('; ')}`);
  return { ok: true, resolution: { action: 'respond', output } };
}

function no(why: string): ReadResolution {
  return { ok: false, why: unescapeText(why) };
}
