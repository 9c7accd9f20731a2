// Invariants:
// D1 An answer that runs something stands only below everything that has to be seen of it; it carries the digest of that.
// D2 Only an option that was offered is an answer, and it stands for what was offered under it.
import type {
  ElicitationSchema,
  PermissionOption,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type {
  Interrupt,
  JsonObject,
  JsonValue,
  Resolution,
  RulePlace,
  RunState,
  SessionId,
  SessionSize,
  ToolRule,
  Way,
} from '../../src/core/index.js';
import {
  alwaysOffers,
  amountText,
  isJsonArray,
  isJsonObject,
  isQuestion,
  isSecretSchema,
  limitOf,
  membersOf,
  present,
  readDiff,
  SESSION_SIZES,
  waysAt,
} from '../../src/core/index.js';
import type { QuestionView } from '../../src/human/index.js';
import {
  askedRows,
  asksAlways,
  choiceName,
  commandBelow,
  passedOn,
  questionView,
  showCommand,
  toolOf,
  typesOf,
} from '../../src/human/index.js';
import { resolve } from 'node:path';
import { callFacts, fencedContent } from './updates.js';

/** An option in a dialog, and the answer that it produces. */
interface Offered {
  readonly option: PermissionOption;
  readonly resolution: Resolution;
  /** The later calls in this session that the option also allows. */
  readonly always?: SessionSize;
}

/** A question, as an editor shows it in a dialog. */
export interface Dialog {
  readonly toolCall: ToolCallUpdate;
  readonly offers: readonly Offered[];
}

/** A question, as an editor shows it in a form. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: ElicitationSchema;
  /** Converts the submitted values to a resolution. */
  readonly read: (content: JsonObject) => Resolution;
}

/** The context in which a question is shown. */
export interface DialogPlace {
  readonly session: SessionId;
  readonly state: RunState;
  readonly cwd: string;
  /**
   * All rules in force. If one of them asks each time, an option to allow calls for the session would not
   * have any effect.
   */
  readonly rules: readonly ToolRule[];
  readonly place: RulePlace;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Maximum numbers of rows and characters in a dialog. */
const MOST_ROWS = 2_000;
const MOST_CHARACTERS = 100_000;
/** Maximum number of options in a dialog. */
const MOST_OPTIONS = 24;

/**
 * Creates the dialog for a question. If the dialog offers no options, the question cannot be answered in it.
 */
export function dialogOf(interrupt: Interrupt, place: DialogPlace): Dialog {
  const { session, state, cwd, now } = place;
  const view = questionView(interrupt, state, { limits: null, now });
  const rows = askedRows(view);
  const isWhole = fits(rows);
  const offers = isWhole
    ? offersOf(interrupt, view, place)
    : offersOf(interrupt, view, place).filter(isRefusal);
  const words = isWhole ? [...rows, '', ...otherWays(view, offers, session)] : shortened(interrupt, place);
  const { source } = interrupt;
  const content: ToolCallContent[] = [
    ...(isWhole ? changeOf(interrupt, cwd) : []),
    fencedContent(words.join('\n').trimEnd()),
  ];
  const facts: Partial<ToolCallUpdate> = source.type === 'tool' ? callFacts(source, cwd) : { kind: 'other' };
  return {
    toolCall: {
      ...facts,
      toolCallId: source.type === 'tool' ? source.ref : interrupt.id,
      title: view.title,
      status: 'pending',
      content,
    },
    offers,
  };
}

function fits(rows: readonly string[]): boolean {
  return rows.length <= MOST_ROWS && rows.reduce((sum, row) => sum + row.length, 0) <= MOST_CHARACTERS;
}

function isRefusal({ option: { kind } }: Offered): boolean {
  return kind === 'reject_once';
}

/**
 * Returns the start of a question that is too long for a dialog, and the command that shows the whole
 * question (D1).
 */
function shortened(interrupt: Interrupt, { session, state, now }: DialogPlace): readonly string[] {
  const view = questionView(interrupt, state, { now });
  return [
    view.title,
    ...view.lines.map(({ gutter, label = '', text }) => `${gutter}${label}${text}`),
    '',
    `Not everything is shown, so this cannot be approved in the editor: ${String(showCommand(session))}`,
  ];
}

/** Returns the terminal command for actions that the dialog does not offer. */
function otherWays(
  { ways, ...view }: QuestionView,
  offers: readonly Offered[],
  session: SessionId,
): readonly string[] {
  const given = new Set(offers.map(({ resolution: { action } }) => action));
  const others = ways.filter(({ action, takes }) => takes === 'input' || !given.has(action));
  if (others.length === 0) return [];
  const words = others.map(({ label }) => label.replace('…', '')).join(', ');
  return [`In a terminal (also: ${words}): ${String(commandBelow(session, { ...view, ways }))}`];
}

/** Returns the change to a file, as far as the question shows it. */
function changeOf({ source, payload }: Interrupt, cwd: string): ToolCallContent[] {
  const { diff } = membersOf(payload);
  const { path } = source.type === 'tool' ? membersOf(source.input) : {};
  const read = typeof diff === 'string' ? readDiff(diff) : undefined;
  if (read === undefined || typeof path !== 'string' || path.includes('\0')) return [];
  return read.after.map((newText, at) => ({
    type: 'diff',
    path: resolve(cwd, path),
    oldText: read.before[at] === '' ? null : (read.before[at] ?? null),
    newText,
  }));
}

function offersOf(interrupt: Interrupt, view: QuestionView, place: DialogPlace): readonly Offered[] {
  if (!isQuestion(interrupt)) return [];
  const ways = waysAt(interrupt).filter(({ always }) => always !== true);
  const simple = ways.flatMap((way): readonly Offered[] => simpleOffer(interrupt, way, ways));
  const all = [...choiceOffers(interrupt, view), ...presetOffers(interrupt), ...simple];
  const isYes = all.some(({ resolution: { action } }) => action === 'restart');
  const lasting = isYes ? lastingOffers(interrupt, place) : [];
  const [yes, no] = [all.filter((one) => !isRefusal(one)), all.filter(isRefusal)];
  return yes.length + lasting.length + no.length <= MOST_OPTIONS ? [...yes, ...lasting, ...no] : no;
}

/** Returns the option for an action, if it needs no further input. */
function simpleOffer(interrupt: Interrupt, way: Way, all: readonly Way[]): readonly Offered[] {
  const { action, label, key } = way;
  if (action === 'restart' && (passedOn(interrupt) !== undefined || way.takes !== 'nothing')) return [];
  // Two ways to say no of a call differ in what the model hears; one is enough for a dialog.
  if (action === 'cancel' && interrupt.kind === 'confirmation' && all.some((one) => one.action === 'reject'))
    return [];
  const resolution = madeBy(way);
  if (resolution === undefined) return [];
  const kind = way.starts ? 'allow_once' : 'reject_once';
  return [{ option: { optionId: key, kind, name: capital(label) }, resolution }];
}

function madeBy(way: Way): Resolution | undefined {
  if (way.takes === 'nothing') return way.make(undefined);
  return way.takes === 'reason' ? way.make('') : undefined;
}

/** Returns options for the choices of a question, or for yes and no. */
function choiceOffers(
  { kind, answerSchema = {}, allowed }: Interrupt,
  { choices, multiple, secret, form }: QuestionView,
): readonly Offered[] {
  if (kind !== 'question' || !allowed.includes('respond') || secret || multiple || form.length > 0) return [];
  const offered = (name: string, output: JsonValue, at: number): Offered => ({
    option: { optionId: `answer ${at + 1}`, kind: 'allow_once', name },
    resolution: { action: 'respond', output },
  });
  const isYesNo = choices.length === 0 && answerSchema['type'] === 'boolean';
  if (isYesNo) return [offered('Yes', true, 0), offered('No', false, 1)];
  return choices.map((choice, at) => offered(choiceName(choice), choice.choice.value, at));
}

/** Returns an option that extends a limit by its current value. */
function presetOffers(interrupt: Interrupt): readonly Offered[] {
  const { kind, payload, allowed } = interrupt;
  const { max } = membersOf(payload);
  if (kind !== 'limit' || !allowed.includes('extend') || typeof max !== 'number' || max <= 0) return [];
  const name = `Extend by ${amountText(max, limitOf(interrupt))}`;
  const option = { optionId: 'extend', kind: 'allow_once', name } as const;
  return [{ option, resolution: { action: 'extend', by: max } }];
}

/**
 * Returns options that allow calls for the rest of the session. An option that allows every call of a tool is
 * available only in a terminal, because it needs closer review.
 */
function lastingOffers(interrupt: Interrupt, { state, rules, place }: DialogPlace): readonly Offered[] {
  const { source, payload } = interrupt;
  const isOffered = waysAt(interrupt).some(({ always }) => always === true);
  if (source.type !== 'tool' || !isOffered || asksAlways(interrupt, rules)) return [];
  const { name, input } = source;
  const call = { name, input, payload, ...present({ tool: toolOf(interrupt, state) }) };
  const sizes = SESSION_SIZES.filter((size) => size !== 'tool');
  return alwaysOffers(sizes, call, place).map(({ size, says }) => ({
    option: {
      optionId: `always ${size}`,
      kind: 'allow_always',
      name: `Approve, and allow in this session: ${says}`,
    },
    resolution: { action: 'restart' },
    always: size,
  }));
}

function capital(label: string): string {
  return `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`;
}

/**
 * Creates the form for a question that is answered with values. Returns `undefined` if editor forms have no
 * fields for them.
 */
export function formOf(interrupt: Interrupt, { state, now }: DialogPlace): Form | undefined {
  const { kind, answerSchema = {}, allowed } = interrupt;
  if (kind !== 'question' || !allowed.includes('respond')) return undefined;
  const view = questionView(interrupt, state, { limits: null, now });
  const rows = askedRows(view);
  if (view.secret || !fits(rows)) return undefined;
  const { properties, required } = answerSchema;
  const isObject = isJsonObject(properties ?? null);
  const fields = isObject ? membersOf(properties) : { answer: { type: 'string', ...answerSchema } };
  if (Object.keys(fields).length === 0 || !Object.values(fields).every(isField)) return undefined;
  const named =
    required !== undefined && isJsonArray(required) ? required.filter((one) => typeof one === 'string') : [];
  return {
    message: rows.join('\n'),
    requestedSchema: schemaOf(fields, isObject ? named : ['answer']),
    read: (content) => ({
      action: 'respond',
      output: isObject ? content : (content['answer'] ?? ''),
    }),
  };
}

const FIELD_TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean'];

/** Whether editor forms have a field for a schema. They do not have fields for secrets. */
function isField(schema: JsonValue): boolean {
  if (!isJsonObject(schema) || isSecretSchema(schema)) return false;
  const [type, ...others] = typesOf(schema);
  if (type === undefined || others.length > 0) return false;
  if (FIELD_TYPES.includes(type)) return true;
  const { items } = schema;
  const values = type === 'array' ? membersOf(items ?? null)['enum'] : undefined;
  return values !== undefined && isJsonArray(values) && values.every((value) => typeof value === 'string');
}

const KEPT = [
  'type',
  'title',
  'description',
  'enum',
  'oneOf',
  'items',
  'default',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
];

/** Returns a schema with only the properties that a form supports. */
function schemaOf(fields: JsonObject, required: string[]): ElicitationSchema {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const members = Object.entries(membersOf(schema)).filter(([key]) => KEPT.includes(key));
      return [name, { type: 'string', ...Object.fromEntries(members) }];
    }),
  );
  return { type: 'object', properties, required };
}

/** The result of a dialog or form: an answer, or the reason that there is none. */
export type Read =
  | { readonly type: 'answered'; readonly resolution: Resolution; readonly always?: SessionSize }
  /** The editor closed the dialog without a decision. */
  | { readonly type: 'closed' }
  /** The response is not a valid answer to this dialog. */
  | { readonly type: 'refused'; readonly why: string };

/** Reads an editor's response to a dialog (D2). */
export function readOutcome({ offers }: Dialog, outcome: unknown): Read {
  const { outcome: how, optionId } = membersOf(outcome);
  if (how === 'cancelled') return { type: 'closed' };
  const found = how === 'selected' ? offers.find(({ option }) => option.optionId === optionId) : undefined;
  if (found === undefined) return { type: 'refused', why: 'the editor chose an option that was not offered' };
  return { type: 'answered', resolution: found.resolution, ...present({ always: found.always }) };
}

/** Reads an editor's response to a form. */
export function readForm({ read }: Form, { allowed }: Interrupt, response: unknown): Read {
  const { action, content } = membersOf(response);
  if (action === 'accept') return { type: 'answered', resolution: read(membersOf(content)) };
  if (action === 'decline' && allowed.includes('cancel'))
    return { type: 'answered', resolution: { action: 'cancel' } };
  return action === 'cancel' || action === 'decline'
    ? { type: 'closed' }
    : { type: 'refused', why: 'the editor returned an unknown action' };
}
