import type { Interrupt, JsonObject, JsonValue, Resolution, ToolDescriptor } from '../../core/index.js';
import { assertNever, HitlError, isJsonObject } from '../../core/index.js';
import { checkSchema } from '../answer/index.js';
import type { EditRequest, TextEditor } from '../edit-json/index.js';
import { editJson } from '../edit-json/index.js';
import type { Answered, Asked, Prompter } from '../prompt/index.js';
import { answered, askAnswer, askText, BACK } from '../prompt/index.js';
import { subjectOf } from '../question/index.js';
import type { QuestionView, Verb } from '../question/index.js';

/** What a decision about one interrupt is made from. */
export interface Matter {
  readonly view: QuestionView;
  readonly interrupt: Interrupt;
  readonly tool: ToolDescriptor | undefined;
  readonly editor?: TextEditor;
  /** What is wrong with a tool's input beyond its schema. */
  readonly checkInput: (
    interrupt: Interrupt,
    input: JsonValue,
  ) => readonly string[] | Promise<readonly string[]>;
  /** Writes the question again, after the screen was lost. */
  readonly above: () => void;
}

type Decided = Promise<Asked<Resolution>>;

/** Turns a chosen way to answer into a resolution; asks for what it needs. Esc goes back to the choice. */
export async function decide(prompter: Prompter, matter: Matter, verb: Verb): Decided {
  switch (verb.action) {
    case 'respond':
      return respond(prompter, matter, false);
    case 'restart':
      return verb.key === 'e' ? restartEdited(prompter, matter) : answered({ action: 'restart' });
    case 'reject':
      return withWords(
        prompter,
        { prompt: 'reason: ', hint: 'the model is told; Enter without a reason is fine' },
        rejected,
      );
    case 'rerun':
      return withWords(prompter, { prompt: 'guidance: ', hint: 'read when it runs again' }, (text) =>
        text === '' ? { action: 'rerun' } : { action: 'rerun', guidance: text },
      );
    case 'defer':
      return withWords(
        prompter,
        { prompt: 'note: ', hint: 'kept as something to do', required: true },
        (note) => ({
          action: 'defer',
          note,
        }),
      );
    case 'go-back':
      return goBack(prompter);
    case 'extend':
      return extend(prompter);
    case 'update-state':
    case 'change-condition':
      return patch(prompter, matter, verb.action);
    case 'goto':
    case 'edit-input':
    case 'edit-output':
    case 'sequence':
      return Promise.reject(new HitlError('INTERNAL', `no key says \`${verb.action}\``)); // only lines and JSON say these
    case 'retry':
    case 'cancel':
    case 'continue':
    case 'skip':
    case 'pause':
      return answered({ action: verb.action });
    default:
      return assertNever(verb.action);
  }
}

function rejected(reason: string): Resolution {
  return reason === '' ? { action: 'reject' } : { action: 'reject', reason };
}

interface Words {
  readonly prompt: string;
  readonly hint: string;
  readonly initial?: string;
  readonly required?: boolean;
  readonly check?: (text: string) => string | undefined;
}

async function withWords(prompter: Prompter, words: Words, make: (text: string) => Resolution): Decided {
  const { prompt, hint, initial = '', required = false, check } = words;
  const asked = await askText(prompter, {
    prompt,
    initial,
    hint: `${hint} · Esc back`,
    check: (text) => (required && text.trim() === '' ? 'it cannot be empty' : check?.(text.trim())),
  });
  return asked.type === 'back' ? BACK : answered(make(asked.value.trim()));
}

function goBack(prompter: Prompter): Decided {
  const words = {
    prompt: 'go back: ',
    initial: '1',
    hint: 'how many nodes, or the name of one',
    required: true,
  };
  return withWords(prompter, words, (text) =>
    /^\d+$/.test(text) ? { action: 'go-back', steps: Number(text) } : { action: 'go-back', to: text },
  );
}

function extend(prompter: Prompter): Decided {
  const words: Words = {
    prompt: 'extend by: ',
    hint: 'in the unit of the limit',
    required: true,
    check: (text) => (Number(text) > 0 && Number.isFinite(Number(text)) ? undefined : 'a number above 0'),
  };
  return withWords(prompter, words, (text) => ({ action: 'extend', by: Number(text) }));
}

/** The answer of a question, or what stands in a call's place; `/cancel` cancels. */
export async function respond(prompter: Prompter, matter: Matter, isFirst: boolean): Decided {
  const { view, interrupt, tool, above } = matter;
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
    above,
    hint: `Enter sends${isQuestion ? ' · /cancel cancels' : ', JSON or text'} · Esc for more`,
  });
  return asked.type === 'back' ? BACK : answered(responseOf(asked.value));
}

function responseOf(answer: Answered): Resolution {
  return answer.type === 'cancel' ? { action: 'cancel' } : { action: 'respond', output: answer.value };
}

async function restartEdited(prompter: Prompter, matter: Matter): Decided {
  const { interrupt, tool, editor, checkInput } = matter;
  const { source } = interrupt;
  if (source.type !== 'tool') return BACK;
  const schema = tool?.inputSchema;
  const runs = interrupt.kind === 'error' ? 'retry' : 'approve';
  const asked = await edit(prompter, {
    value: source.input,
    title: `the input of ${subjectOf(source)}`,
    verb: `${runs} with this input`,
    unchangedVerb: `${runs} with the input as it was`,
    validate: async (value) => {
      const problems = checkSchema(value, schema);
      return problems.length > 0 ? problems : checkInput(interrupt, value);
    },
    ...(schema && { schema }),
    ...(editor && { editor }),
  });
  if (asked.type === 'back') return BACK;
  return answered({ action: 'restart', ...(asked.value !== undefined && { input: asked.value }) });
}

/** The edited value; `undefined` where it was left as it was. */
async function edit(prompter: Prompter, request: EditRequest): Promise<Asked<JsonValue | undefined>> {
  const asked = await editJson(prompter, request);
  if (asked.type === 'back') {
    // Fields that were gone through are still on the screen.
    prompter.terminal.write(`${prompter.theme.dim('the edit was given up; nothing is changed')}\r\n`);
    return BACK;
  }
  return answered(asked.value.type === 'edited' ? asked.value.value : undefined);
}

async function patch(
  prompter: Prompter,
  matter: Matter,
  action: 'update-state' | 'change-condition',
): Decided {
  const { editor, interrupt } = matter;
  const start = action === 'update-state' ? stateOf(interrupt) : {};
  const asked = await edit(prompter, {
    value: start,
    title: action === 'update-state' ? 'the state' : 'what conditions see',
    verb: 'use these values',
    unchangedVerb: 'leave it as it is',
    validate: (value) => (isJsonObject(value) ? [] : ['it must be an object']),
    schema: { type: 'object' },
    ...(editor && { editor }),
  });
  if (asked.type === 'back') return BACK;
  return isJsonObject(asked.value) ? answered({ action, patch: changesOf(start, asked.value) }) : BACK;
}

/** The state that a gate shows, where it shows one. */
function stateOf({ payload }: Interrupt): JsonObject {
  const state = isJsonObject(payload) ? payload['state'] : undefined;
  return isJsonObject(state) ? state : {};
}

/** Only what was changed goes into a patch, so that it does not undo what others change meanwhile. */
function changesOf(before: JsonObject, after: JsonObject): JsonObject {
  const changed = Object.entries(after).filter(
    ([key, value]) => !Object.hasOwn(before, key) || JSON.stringify(before[key]) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed);
}
