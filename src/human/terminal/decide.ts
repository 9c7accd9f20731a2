import type { Interrupt, JsonValue, Resolution, RunState, ToolDescriptor, Way } from '../../core/index.js';
import {
  amountUnit,
  assertNever,
  isJsonObject,
  isSecretSchema,
  limitOf,
  membersOf,
  subjectOfSource,
  laidOut,
} from '../../core/index.js';
import type { Read } from '../answer/read.js';
import { checkSchema } from '../answer/check-schema.js';
import { patchOf, startOf } from '../answer/start-of.js';
import { readTaken } from '../answer/read.js';
import type { EditRequest } from '../edit-json/edit-json.js';
import type { TextEditor } from '../edit-json/editor.js';
import { editJson } from '../edit-json/edit-json.js';
import type { Answered } from '../prompt/ask-answer.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import { answered, BACK } from '../prompt/prompter.js';
import { askAnswer } from '../prompt/ask-answer.js';
import { askText } from '../prompt/ask-text.js';
import type { QuestionView } from '../question/question-text.js';
import { choiceViews } from '../question/question-text.js';
import { passedOn } from '../question/form-fields.js';
import { schemaChoices } from '../question/listed-choices.js';

/** The material that a decision about one interrupt is made from. */
export interface Matter {
  readonly view: QuestionView;
  readonly interrupt: Interrupt;
  readonly state: RunState;
  readonly tool: ToolDescriptor | undefined;
  readonly editor?: TextEditor;
}

type Decided = Promise<Asked<Resolution>>;

/** Turns a chosen action into a resolution, and asks for its value. Esc returns to the choice. */
export async function decide(prompter: Prompter, matter: Matter, way: Way): Decided {
  switch (way.takes) {
    case 'nothing':
      return way.action === 'restart'
        ? passingOn(prompter, matter, undefined)
        : answered(way.make(undefined));
    case 'answer':
      return respond(prompter, matter, false);
    case 'input':
      return restartEdited(prompter, matter);
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

/** Asks for a script line's value, and parses it like one. */
async function inWords(prompter: Prompter, { interrupt, tool }: Matter, way: Way): Decided {
  const { asks } = way;
  const read = (text: string): Read<Resolution> =>
    readTaken(way, text.trim(), { interrupt, inputSchema: tool?.inputSchema });
  const asked =
    asks === undefined
      ? answered('')
      : await askText(prompter, {
          prompt: asks.prompt,
          initial: asks.initial ?? '',
          hint: `${way.takes === 'amount' ? amountUnit(limitOf(interrupt)) : asks.hint} · Esc back`,
          check: (text) => problemOf(read(text)),
        });
  const made = asked.type === 'back' ? undefined : read(asked.value);
  return made?.ok === true ? answered(made.value) : BACK;
}

function problemOf(read: Read<unknown>): string | undefined {
  return read.ok ? undefined : read.why;
}

/** Asks for the answer of a question or the result of a call; `/cancel` cancels. */
export async function respond(prompter: Prompter, matter: Matter, isFirst: boolean): Decided {
  const { view, interrupt, tool } = matter;
  const isQuestion = interrupt.kind === 'question';
  const schema = interrupt.answerSchema ?? tool?.outputSchema;
  const asked = await askAnswer(prompter, {
    ...(schema && { schema }),
    choices: isQuestion ? view.choices : [],
    multiple: view.multiple,
    allowOther: view.allowOther,
    secret: view.secret,
    untyped: isQuestion ? 'text' : 'json',
    isFirst,
    hint: `Enter send${isQuestion ? ' · /cancel cancel' : ' (JSON or text)'} · Esc more`,
  });
  return asked.type === 'back' ? BACK : answered(responseOf(asked.value));
}

function responseOf(answer: Answered): Resolution {
  return answer.type === 'cancel' ? { action: 'cancel' } : { action: 'respond', output: answer.value };
}

async function restartEdited(prompter: Prompter, matter: Matter): Decided {
  const { interrupt, tool, editor } = matter;
  const { source } = interrupt;
  if (source.type !== 'tool') return BACK;
  const schema = tool?.inputSchema;
  const runs = interrupt.kind === 'error' ? 'retry' : 'run';
  const asked = await edit(prompter, {
    value: source.input,
    title: `the input of ${subjectOfSource(source)}`,
    verb: `${runs} with this input`,
    unchangedVerb: `${runs} with the original input`,
    validate: (value) => checkSchema(value, schema),
    ...(schema && { schema }),
    ...(editor && { editor }),
  });
  return asked.type === 'back' ? BACK : passingOn(prompter, matter, asked.value);
}

/** Runs the call with the values that its tool asks for, field by field. */
async function passingOn(
  prompter: Prompter,
  { interrupt }: Matter,
  input: JsonValue | undefined,
): Promise<Asked<Resolution>> {
  const edit = input !== undefined && { input };
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

/** Returns the edited value; `undefined` if it was discarded. */
async function edit(prompter: Prompter, request: EditRequest): Promise<Asked<JsonValue | undefined>> {
  const asked = await editJson(prompter, request);
  if (asked.type === 'back') {
    prompter.terminal.write(laidOut(`${prompter.theme.dim('Edit discarded')}\n`));
    return BACK;
  }
  return answered(asked.value.type === 'edited' ? asked.value.value : undefined);
}

/** Edits a workflow's values; returns only the changed ones. */
async function edited(prompter: Prompter, matter: Matter, way: Way & { takes: 'patch' | 'value' }): Decided {
  const { editor } = matter;
  const start = startOf(matter.interrupt, matter.state, way.action);
  const asked = await edit(prompter, {
    value: start,
    title: way.label.replace(/^\w+ /, ''),
    verb: way.starts ? 'save and continue' : 'save and ask again',
    unchangedVerb: 'discard',
    validate: (value) => (way.takes === 'value' || isJsonObject(value) ? [] : ['must be an object']),
    schema: way.takes === 'patch' ? { type: 'object' } : {},
    ...(editor && { editor }),
  });
  if (asked.type === 'back' || asked.value === undefined) return BACK;
  if (way.takes === 'value') return answered(way.make(asked.value));
  const before = membersOf(start);
  return isJsonObject(asked.value) ? answered(way.make(patchOf(before, asked.value))) : BACK;
}
