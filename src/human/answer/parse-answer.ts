import type {
  Interrupt,
  JsonObject,
  JsonValue,
  Resolution,
  ResolutionAction,
  SessionSize,
  Way,
  ToolDescriptor,
} from '../../core/index.js';
import {
  escapeText,
  isDigestOf,
  isJsonObject,
  SESSION_SIZES,
  sessionScope,
  subjectOf,
  wayProblem,
  WAYS,
  waysAt,
  waysOf,
} from '../../core/index.js';
import { readChoices, readJsonOrText, readTyped } from './answer-value.js';
import type { ReadValue } from './answer-value.js';
import { checkSchema } from './check-schema.js';
import { excerpt } from '../warnings/finding.js';
import type { QuestionContent } from '../question/question-content.js';
import { fittingLines } from '../question/fitting-lines.js';
import { questionContent } from '../question/question-content.js';
import type { Read, ReadAnswer } from './read.js';
import { notHere, readLine, readTaken, splitWord } from './read.js';
import { actionNamed, readResolution } from './read-resolution.js';
import { parseStrictJson } from './strict-json.js';

/** A resolution read from an answer line or a JSON value. */
export interface ParsedAnswer {
  readonly resolution: Resolution;
  /** Which later calls in this session to approve as well; `true` stands for calls identical to this one. */
  readonly always?: true | SessionSize;
  /** The digest in the answer, which has already been checked against the digest of the question. */
  readonly digest?: string;
}

export type ParseAnswerResult =
  | { readonly ok: true; readonly answer: ParsedAnswer }
  /**
   * The reason that the answer is invalid, and the valid forms, one line each. Safe to print in a terminal.
   */
  | { readonly ok: false; readonly message: string; readonly fits: readonly string[] };

/** The context in which an answer is read. */
export interface AnswerContext {
  readonly interrupt: Interrupt;
  /** The tool, if known. An edited input must match its schema. */
  readonly tool?: ToolDescriptor;
}

/** Returns the schema for an edited input, if the tool is known. */
function inputSchemaOf({ tool }: AnswerContext): JsonObject | undefined {
  return tool?.inputSchema;
}

/**
 * Reads an answer line for one interrupt, from a script or a terminal without key input. Never guesses: an
 * empty or invalid line is rejected with a list of the valid forms. At a question, anything that is not an
 * offered action is the answer.
 */
export function parseAnswer(line: string, context: AnswerContext): ParseAnswerResult {
  const text = line.trim();
  const { interrupt } = context;
  if (text === '') return refuse(context, 'empty answer');
  if (text.startsWith('/')) return slashLine(text, context);
  const object = text.startsWith('{') ? parseStrictJson(text) : undefined;
  if (object?.ok === true && isResolutionLike(object.value)) return parseAnswerValue(object.value, context);
  if (interrupt.kind === 'question') return accept(answerAtQuestion(text, interrupt), context);
  const [, size] = SIZED.exec(text) ?? [];
  if (size !== undefined) return fromObject({ action: 'approve', always: size.toLowerCase() }, context);
  if (object !== undefined) {
    const why = object.ok ? 'an object needs a known `action`' : object.message;
    return refuse(context, why);
  }
  const read = readLine(text, { interrupt, inputSchema: inputSchemaOf(context) });
  if (!read.ok && read.why === '') return refuse(context, `“${excerpt(text)}”`);
  return accept(read, context);
}

/**
 * Reads an answer given as JSON, as in an answers file: a resolution, an answer line as a string, or, for a
 * question, the answer itself. Ignores `interrupt` and `tool` next to the action, because they were already
 * used to select the interrupt.
 */
export function parseAnswerValue(value: JsonValue, context: AnswerContext): ParseAnswerResult {
  if (typeof value === 'string') return parseAnswer(value, context);
  if (isResolutionLike(value)) return fromObject(value, context);
  if (context.interrupt.kind !== 'question') {
    return refuse(context, 'it is neither a resolution nor an answer line');
  }
  return checked({ resolution: { action: 'respond', output: value } }, context);
}

/** Matches `always <scope>`, the scope of later approvals. */
const SIZED = new RegExp(`^(?:always|w)[ \\t]+(${SESSION_SIZES.join('|')})$`, 'iu');

function isResolutionLike(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || !Object.hasOwn(value, 'action')) return false;
  return value['action'] === 'approve' || actionNamed(value['action']) !== undefined;
}

function fromObject(value: JsonObject, context: AnswerContext): ParseAnswerResult {
  const { interrupt: _interrupt, tool: _tool, digest, always, ...rest } = value;
  if (digest !== undefined && !(typeof digest === 'string' && isDigestOf(digest, context.interrupt))) {
    return refuse(context, 'the answer is for a different input from the one shown');
  }
  const named = digest === undefined ? {} : { digest };
  const size = SESSION_SIZES.find((one) => one === always);
  if (always !== undefined && typeof always !== 'boolean' && size === undefined)
    return refuse(context, `\`always\` must be true, false or one of ${SESSION_SIZES.join(', ')}`);
  const approval = rest['action'] === 'approve' ? approvalOf(context.interrupt) : undefined;
  if (rest['action'] === 'approve' && approval === undefined)
    return refuse(context, '`approve` is ambiguous here');
  const read = readResolution({ ...rest, action: approval ?? actionNamed(rest['action']) ?? '' });
  if (!read.ok) return refuse(context, read.why);
  const resolution = read.value;
  if (always === undefined || always === false) return checked({ resolution, ...named }, context);
  if (
    resolution.action !== 'restart' ||
    resolution.input !== undefined ||
    context.interrupt.kind !== 'confirmation'
  ) {
    return refuse(context, '`always` only works with a plain approval');
  }
  const takesAlways = waysAt(context.interrupt).some((way) => way.always === true);
  if (!takesAlways || (size !== undefined && !isOfferedHere(size, context.interrupt)))
    return refuse(context, `\`always${size === undefined ? '' : ` ${size}`}\` does not apply to this call`);
  return checked({ resolution, always: size ?? true, ...named }, context);
}

function isOfferedHere(size: SessionSize, { source, payload }: Interrupt): boolean {
  if (source.type !== 'tool') return false;
  return (
    size === 'tool' || sessionScope(size, { name: source.name, input: source.input, payload }) !== undefined
  );
}

/**
 * Reads a line that starts with a slash. `/cancel` cancels, and `//text` stands for the text `/text`. All
 * other commands belong to the chat prompt.
 */
function slashLine(text: string, context: AnswerContext): ParseAnswerResult {
  if (text.startsWith('//') && context.interrupt.kind === 'question') {
    return accept(typedAtQuestion(text.slice(1), context.interrupt), context);
  }
  const { word } = splitWord(text.slice(1));
  if (word === 'cancel')
    return accept(readLine(text.slice(1), { interrupt: context.interrupt, inputSchema: undefined }), context);
  return refuse(context, `“${excerpt(text)}”; to send text that starts with \`/\`, type \`//…\``);
}

/**
 * Returns the action that `approve` stands for, which is the action with the key `y`. Returns `undefined`
 * where this would be a guess: after a crash or an error (law 7), or at a limit.
 */
function approvalOf({ kind, source }: Interrupt): ResolutionAction | undefined {
  const approves = waysOf(kind, source).find(({ key }) => key === 'y');
  return approves?.action;
}

function accept(read: Read<ReadAnswer>, context: AnswerContext): ParseAnswerResult {
  if (!read.ok) return refuse(context, read.why);
  const { way, resolution } = read.value;
  return offered({ resolution, ...(way.always && { always: way.always }) }, context);
}

function offered(answer: ParsedAnswer, context: AnswerContext): ParseAnswerResult {
  const { resolution } = answer;
  const problem = wayProblem(context.interrupt, resolution);
  if (problem === undefined) return { ok: true, answer };
  const isNamed = context.interrupt.allowed.includes(resolution.action);
  return refuse(context, isNamed ? problem : notHere(wayOf(resolution, context.interrupt)));
}

/** Returns the action of a resolution: as the kind of question offers it, or as it is elsewhere. */
function wayOf(resolution: Resolution, { kind, source }: Interrupt): Way {
  const isEdit = resolution.action === 'restart' && resolution.input !== undefined;
  const isOf = ({ action, takes }: Way): boolean =>
    action === resolution.action && (takes === 'input') === isEdit;
  return waysOf(kind, source).find(isOf) ?? (isEdit ? WAYS.edit : WAYS[resolution.action]);
}

/** Checks the values of an answer given as JSON. */
function checked(answer: ParsedAnswer, context: AnswerContext): ParseAnswerResult {
  const issues = issuesOf(answer.resolution, context);
  return issues.length === 0 ? offered(answer, context) : refuse(context, issues.map(escapeText).join('; '));
}

function issuesOf(resolution: Resolution, context: AnswerContext): readonly string[] {
  if (resolution.action === 'respond') return checkSchema(resolution.output, context.interrupt.answerSchema);
  if (resolution.action !== 'restart' || resolution.input === undefined) return [];
  return checkSchema(resolution.input, inputSchemaOf(context));
}

function refuse({ interrupt }: AnswerContext, why: string): ParseAnswerResult {
  const subject = interrupt.kind === 'limit' ? 'the limit' : subjectOf(interrupt);
  const who = `${subject} (${escapeText(interrupt.id)})`;
  return { ok: false, message: `invalid answer to ${who}: ${why}`, fits: fittingLinesFor(interrupt) };
}

function fittingLinesFor(interrupt: AnswerContext['interrupt']): readonly string[] {
  const { choices, multiple } = questionContent(interrupt);
  if (interrupt.kind !== 'question' || choices.length === 0) return fittingLines(interrupt);
  const numbers = multiple
    ? `numbers from 1 to ${choices.length}, comma-separated`
    : `a number from 1 to ${choices.length}`;
  return [numbers, ...fittingLines(interrupt)];
}

/**
 * Reads a line at a question. Tries it as a choice, then as an action (`answer`, `respond`, `cancel`);
 * otherwise the line is the answer. Rejects invalid text that was clearly meant as JSON.
 */
function answerAtQuestion(text: string, interrupt: Interrupt): Read<ReadAnswer> {
  const content = questionContent(interrupt);
  const listed = listedChoice(text, content, interrupt);
  if (listed !== undefined) return respond(listed);
  const command = commandAtQuestion(text, interrupt, content);
  if (command !== undefined) return command;
  if (isBrokenObject(text, interrupt))
    return { ok: false, why: 'not a valid resolution; to answer with this text, type `answer …`' };
  return typedAtQuestion(text, interrupt);
}

/** Reads text that can only be the answer. */
function typedAtQuestion(text: string, interrupt: Interrupt): Read<ReadAnswer> {
  const content = questionContent(interrupt);
  const schema = interrupt.answerSchema;
  const isWhole = content.choices.length > 0 && /^[[{"]/.test(text) && parseStrictJson(text).ok;
  const byChoice = content.choices.length > 0 && !isWhole;
  return resultOf(
    byChoice
      ? readChoices(text, content, schema)
      : isWhole
        ? readJsonOrText(text, schema)
        : readTyped(text, schema),
  );
}

function resultOf(read: ReadValue): Read<ReadAnswer> {
  return read.ok ? respond(read) : { ok: false, why: read.message };
}

function respond({ value }: { readonly value: JsonValue }): Read<ReadAnswer> {
  return { ok: true, value: { way: WAYS.respond, resolution: { action: 'respond', output: value } } };
}

/** Returns the listed choices in a line; free text is not accepted. */
function listedChoice(
  text: string,
  content: QuestionContent,
  { answerSchema }: Interrupt,
): { readonly value: JsonValue } | undefined {
  if (content.choices.length === 0) return undefined;
  const read = readChoices(text, { ...content, allowOther: false }, answerSchema);
  return read.ok ? read : undefined;
}

/**
 * Reads a command at a question. Accepts `c` only on its own and `a` only before JSON, because “a cup of tea”
 * is an answer.
 */
function commandAtQuestion(
  text: string,
  interrupt: Interrupt,
  content: QuestionContent,
): Read<ReadAnswer> | undefined {
  const { word, rest } = splitWord(text);
  if (word === 'cancel' || (word === 'c' && rest === '')) {
    return taken(WAYS.cancel, rest, interrupt);
  }
  const isAnswer =
    word === 'answer' ||
    word === 'respond' ||
    (word === 'a' && /^[[{"]/.test(rest) && parseStrictJson(rest).ok);
  if (!isAnswer) return undefined;
  const listed = listedChoice(rest, content, interrupt);
  if (listed !== undefined) return respond(listed);
  return taken(WAYS.respond, rest, interrupt);
}

function taken(way: Way, rest: string, interrupt: Interrupt): Read<ReadAnswer> {
  const read = readTaken(way, rest, { interrupt, inputSchema: undefined });
  return read.ok ? { ok: true, value: { way, resolution: read.value } } : read;
}

/**
 * Whether text looks like a JSON object with a syntax error. Such a typo must not become the answer to a
 * question that accepts text.
 */
function isBrokenObject(text: string, { answerSchema }: Interrupt): boolean {
  if (!text.startsWith('{')) return false;
  const json = parseStrictJson(text);
  if (!json.ok) return /^\{\s*"/.test(text);
  const properties = answerSchema?.['properties'];
  const hasOwnAction = isJsonObject(properties) && Object.hasOwn(properties, 'action');
  return isJsonObject(json.value) && Object.hasOwn(json.value, 'action') && !hasOwnAction;
}
