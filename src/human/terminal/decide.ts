import type { Interrupt, JsonValue, Resolution, RunState, ToolDescriptor, Way } from '../../core/index.js';
import {
  amountUnit,
  assertNever,
  escapeText,
  isJsonObject,
  isSecretSchema,
  jsonEquals,
  limitOf,
  membersOf,
  laidOut,
} from '../../core/index.js';
import type { Read } from '../answer/read.js';
import { patchOf, startOf } from '../answer/start-of.js';
import { readTaken } from '../answer/read.js';
import type { EditRequest } from '../edit-json/edit-json.js';
import type { TextEditor } from '../edit-json/editor.js';
import { changeValue, editJson } from '../edit-json/edit-json.js';
import type { Answered } from '../prompt/ask-answer.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import { answered, BACK } from '../prompt/prompter.js';
import type { FormDrafts, QuestionDrafts } from '../prompt/ask-text.js';
import { askAnswer } from '../prompt/ask-answer.js';
import { askKept } from '../prompt/ask-text.js';
import type { QuestionView } from '../question/question-text.js';
import { choiceViews } from '../question/question-text.js';
import { passedOn } from '../question/form-fields.js';
import { MORE_KEY } from '../question/key-words.js';
import { schemaChoices } from '../question/listed-choices.js';

/** Input for deciding one interrupt. */
export interface Matter {
  readonly view: QuestionView;
  readonly interrupt: Interrupt;
  readonly state: RunState;
  readonly tool: ToolDescriptor | undefined;
  readonly editor?: TextEditor;
  /** Keeps the typed text when the user leaves a prompt. */
  readonly drafts?: QuestionDrafts;
}

type Decided = Promise<Asked<Resolution>>;

/** Asks for a message that the model receives together with the result. */
export function wordsForModel(prompter: Prompter, drafts: FormDrafts | undefined): Promise<Asked<string>> {
  return askKept(prompter, drafts, {
    prompt: 'yes, and: ',
    hint: 'Enter approves and sends this to the model · Esc back',
    check: (text) => (text.trim() === '' ? 'Type what to tell the model, or press Esc' : undefined),
  });
}

/**
 * Turns a chosen action into a resolution, asking for the values that it needs. Esc goes back to the choice.
 */
export async function decide(
  prompter: Prompter,
  matter: Matter,
  way: Exclude<Way, { readonly takes: 'input' }>,
): Decided {
  switch (way.takes) {
    case 'nothing':
      return way.action === 'restart' ? passingOn(prompter, matter, {}) : answered(way.make(undefined));
    case 'answer':
      return respond(prompter, matter, false);
    case 'patch':
    case 'value':
      return edited(prompter, matter, way);
    case 'reason':
    case 'guidance':
    case 'note':
    case 'node':
    case 'steps':
    case 'amount':
    case 'several':
      return inWords(prompter, matter, way);
    default:
      return assertNever(way);
  }
}

/** Asks for a value and parses it like a line of a script. */
async function inWords(prompter: Prompter, { interrupt, tool, drafts }: Matter, way: Way): Decided {
  const { asks } = way;
  const read = (text: string): Read<Resolution> =>
    readTaken(way, text.trim(), { interrupt, inputSchema: tool?.inputSchema });
  const asked =
    asks === undefined
      ? answered('')
      : await askKept(prompter, drafts?.of(way.action), {
          prompt: asks.prompt,
          initial: asks.initial ?? '',
          hint: [
            ...(way.takes === 'reason' ? [`Enter ${way.label}`] : []),
            way.takes === 'amount' ? amountUnit(limitOf(interrupt)) : asks.hint,
            'Esc back',
          ].join(' · '),
          check: (text) => problemOf(read(text)),
        });
  const made = asked.type === 'back' ? undefined : read(asked.value);
  return made?.ok === true ? answered(made.value) : BACK;
}

function problemOf(read: Read<unknown>): string | undefined {
  return read.ok ? undefined : read.why;
}

/** Asks for the answer to a question or the result of a call. Entering `/cancel` cancels. */
export async function respond(prompter: Prompter, matter: Matter, isFirst: boolean): Decided {
  const { view, interrupt, tool, drafts } = matter;
  const isQuestion = interrupt.kind === 'question';
  const schema = interrupt.answerSchema ?? tool?.outputSchema;
  const asked = await askAnswer(prompter, {
    ...(schema && { schema }),
    choices: isQuestion ? view.choices : [],
    multiple: view.multiple,
    allowOther: view.allowOther,
    saysFirst: isOfModel(interrupt, tool),
    secret: view.secret,
    untyped: isQuestion ? 'text' : 'json',
    ...(isQuestion && { escape: MORE_KEY.label }),
    isFirst,
    ...(drafts && { drafts }),
    hint: `Enter send${isQuestion ? ' · /cancel cancel' : ' (JSON or text)'} · Esc ${isQuestion ? MORE_KEY.label : 'back'}`,
  });
  return asked.type === 'back' ? BACK : answered(responseOf(asked.value));
}

function responseOf(answer: Answered): Resolution {
  if (answer.type === 'value') return { action: 'respond', output: answer.value };
  return { action: 'cancel', ...(answer.reason !== undefined && { reason: answer.reason }) };
}

/**
 * Whether the question comes from a model, through a tool that only asks. If so, the user may send the model
 * a message instead of an answer.
 */
function isOfModel({ kind, kept, allowed }: Interrupt, tool: ToolDescriptor | undefined): boolean {
  const isAsked = kind === 'question' && kept === undefined && allowed.includes('cancel');
  return isAsked && tool?.restartable === false;
}

/**
 * Approves the call after asking for the values that the tool requires. The fields of a form are asked for
 * one after another.
 */
export async function passingOn(
  prompter: Prompter,
  { interrupt }: Matter,
  edit: { readonly input?: JsonValue },
): Promise<Asked<Resolution>> {
  const schema = passedOn(interrupt);
  if (schema === undefined) return answered({ action: 'restart', ...edit });
  const asked = await askAnswer(prompter, {
    schema,
    choices: choiceViews(schemaChoices(schema)),
    multiple: false,
    allowOther: false,
    secret: isSecretSchema(schema),
    untyped: 'text',
    isFirst: false,
    hint: 'Enter send · Esc back',
  });
  if (asked.type === 'back') return BACK;
  if (asked.value.type === 'cancel') return answered({ action: 'cancel' });
  return answered({ action: 'restart', ...edit, metadata: asked.value.value });
}

/**
 * Lets the user change a value. Returns the changed value, or `undefined` if it is unchanged. The change is
 * not confirmed here, because the question is asked again.
 */
async function change(prompter: Prompter, request: EditRequest): Promise<Asked<JsonValue | undefined>> {
  let problems: readonly string[] = [];
  for (let { value } = request; ;) {
    const asked = await changeValue(prompter, { ...request, value, problems });
    if (asked.type === 'back') return BACK;
    value = asked.value;
    problems = request.validate(value).map(escapeText);
    if (problems.length === 0) return answered(jsonEquals(value, request.value) ? undefined : value);
  }
}
/** Lets the user edit a value. Returns the edited value, or `undefined` if it is unchanged. */
async function edit(prompter: Prompter, request: EditRequest): Promise<Asked<JsonValue | undefined>> {
  const asked = await editJson(prompter, request);
  if (asked.type === 'back') {
    prompter.terminal.write(laidOut(`${prompter.theme.dim('Edit discarded')}\n`));
    return BACK;
  }
  return answered(asked.value.type === 'edited' ? asked.value.value : undefined);
}

/**
 * Lets the user edit a workflow's values, starting with the current ones, and returns only the changes. If
 * the action starts something, the change is shown again first. Otherwise, the next question shows it.
 */
async function edited(prompter: Prompter, matter: Matter, way: Way & { takes: 'patch' | 'value' }): Decided {
  const { editor, drafts } = matter;
  const start = startOf(matter.interrupt, matter.state, way.action);
  const ask = way.starts ? edit : change;
  const asked = await ask(prompter, {
    value: start,
    title: way.label.replace(/^\w+ /, ''),
    verb: way.starts ? 'save and continue' : 'save and ask again',
    unchangedVerb: 'discard',
    validate: (value) => (way.takes === 'value' || isJsonObject(value) ? [] : ['must be an object']),
    schema: way.takes === 'patch' ? { type: 'object' } : {},
    ...(editor && { editor }),
    ...(drafts && { drafts: drafts.of(way.action) }),
  });
  if (asked.type === 'back' || asked.value === undefined) return BACK;
  if (way.takes === 'value') return answered(way.make(asked.value));
  const before = membersOf(start);
  return isJsonObject(asked.value) ? answered(way.make(patchOf(before, asked.value))) : BACK;
}
