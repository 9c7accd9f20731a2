import type { Interrupt, JsonObject, JsonValue, RunState, ToolDescriptor, Way } from '../../core/index.js';
import { amountUnit, assertNever, limitOf, mayHoldSecret } from '../../core/index.js';
import type { QuestionView } from '../../human/index.js';
import { passedOn, startOf, typesOf } from '../../human/index.js';
import { editInputs, fieldInputs, rowsFor } from './fields.js';
import type { Html } from './html.js';
import { flag, html, textArea } from './html.js';

/** A question on a page, with the previous submission if it was invalid. */
export interface Asked {
  readonly view: QuestionView;
  readonly state: RunState;
  readonly tool: ToolDescriptor | undefined;
  /** Path of the question: `/sessions/x/questions/i1`. */
  readonly place: string;
  readonly formToken: string;
  readonly given?: URLSearchParams;
}

/** Number of actions in the row. The others are listed behind `?`, which explains all actions. */
const WAYS_IN_ROW = 3;

/**
 * Renders the actions for a question as a row of buttons. An action that needs input opens its form below the
 * row. `?` explains all actions and lists the less common ones. Works without scripts.
 */
export function actionsRow(asked: Asked): Html {
  const { ways } = asked.view;
  const more = ways.slice(WAYS_IN_ROW);
  return html`<div class="acts">
    ${ways.slice(0, WAYS_IN_ROW).map((way) => wayForm(asked, way))}
    <details class="act more">
      <summary aria-label="More: what each action does, and other actions">? more</summary>
      ${more.length > 0 && html`<div class="acts">${more.map((way) => wayForm(asked, way))}</div>`}
      <dl class="helps">${ways.map(helpOf)}</dl>
    </details>
  </div>`;
}

function helpOf({ key, label, help }: Way): Html {
  return html`<div>
    <dt><span class="verb">${label}</span> <kbd aria-hidden="true">${key}</kbd></dt>
    <dd>${help}</dd>
  </div>`;
}

/**
 * Renders the form for one action. Each action has its own form, so pressing Enter in one never submits
 * another.
 */
export function wayForm(asked: Asked, way: Way): Html {
  const { view } = asked;
  switch (way.takes) {
    case 'nothing':
      return oneButton(asked, way);
    case 'reason':
    case 'guidance':
      return wordsForm(asked, way, {
        label: way.takes === 'reason' ? 'Reason (optional)' : 'Instructions (optional)',
        required: false,
      });
    case 'note':
    case 'node':
      return wordsForm(asked, way, {
        label: way.asks?.prompt.replace(/:\s*$/u, '') ?? way.takes,
        required: true,
      });
    case 'steps':
      return wordsForm(asked, way, { label: way.asks?.hint ?? 'steps', required: false });
    case 'amount':
      return wordsForm(asked, way, { label: amountUnit(limitOf(view.interrupt)), required: true });
    case 'answer':
      return view.interrupt.kind === 'question'
        ? answerForm(asked, way)
        : textForm(asked, way, { label: 'JSON or text', start: '' });
    case 'input':
      return editForm(asked, way);
    case 'patch':
    case 'value': {
      const start = startOf(view.interrupt, asked.state, way.action);
      return textForm(asked, way, { label: 'As JSON', start: JSON.stringify(start, null, 2), to: 'preview' });
    }
    case 'several':
      return wordsForm(asked, way, { label: way.line, required: true });
    default:
      return assertNever(way);
  }
}

/**
 * Renders the hidden inputs of every form: the digest of the displayed question, the form token, and the
 * action.
 */
export function hiddenInputs({ view, formToken }: Asked, key: string): Html {
  return html`<input type="hidden" name="form" value="${formToken}" /><input
      type="hidden"
      name="digest"
      value="${view.interrupt.digest}"
    /><input type="hidden" name="way" value="${key}" />`;
}

function formTo(asked: Asked, way: Way, inner: Html, to: 'answer' | 'preview' = 'answer'): Html {
  return html`<form
    method="post"
    action="${asked.place}/${to}"
    autocomplete="off"
    ${flag('data-yes', to === 'answer' && isYes(way))}
  >
    ${hiddenInputs(asked, way.key)}${inner}
  </form>`;
}

/**
 * Whether an action requires the whole question to be visible. The actions to reject, cancel and pause do
 * not.
 */
function isYes({ action }: Way): boolean {
  return action !== 'reject' && action !== 'cancel' && action !== 'pause';
}

function button({ label, starts }: Way, words = label): Html {
  return html`<button${starts ? html` class="starts"` : undefined}>${words}</button>`;
}

function oneButton(asked: Asked, way: Way): Html {
  const { interrupt } = asked.view;
  const schema = way.action === 'restart' ? passedOn(interrupt) : undefined;
  const fields = schema && fieldInputs({ name: 'passed', schema, value: emptyOf(schema) }, asked.given);
  return html`<div class="${fields === undefined ? 'act' : 'act wide'}" data-key="${way.key}">
    ${formTo(asked, way, html`${fields}${button(way)}`)}
  </div>`;
}

function wordsForm(
  asked: Asked,
  way: Way,
  { label, required }: { readonly label: string; readonly required: boolean },
): Html {
  const id = `text-${way.key}`;
  const given = asked.given?.get('way') === way.key ? asked.given : undefined;
  const text = given === undefined ? (way.asks?.initial ?? '') : (given.get('text') ?? '');
  const inner = html`<div class="row">
    <span class="grow"
      ><label for="${id}">${label}</label
      ><input id="${id}" name="text" type="text" value="${text}" ${flag('required', required)} /></span
    >${button(way)}
  </div>`;
  return folded(way, formTo(asked, way, inner), given !== undefined);
}

interface TextWanted {
  readonly label: string;
  /** Initial text of an edit field. */
  readonly start: string;
  /** Where the form is sent. Default: the answer route. */
  readonly to?: 'answer' | 'preview';
}

function textForm(asked: Asked, way: Way, { label, start, to = 'answer' }: TextWanted): Html {
  const id = `text-${way.key}`;
  const given = asked.given?.get('way') === way.key ? asked.given : undefined;
  const text = given === undefined ? start : (given.get('text') ?? '');
  return folded(
    way,
    formTo(
      asked,
      way,
      html`<label for="${id}">${label}</label
        >${textArea(html`id="${id}" name="text" rows="${rowsFor(text)}" spellcheck="false" required`, text)}
        <p>${button(way, to === 'preview' ? 'Review change' : way.label)}</p>`,
      to,
    ),
    given !== undefined,
  );
}

function folded(way: Way, inner: Html, isOpen: boolean): Html {
  return html`<details class="act" data-key="${way.key}" ${flag('open', isOpen)}>
    <summary><span class="verb">${way.label}</span></summary>
    ${inner}
  </details>`;
}

/** Renders a form for editing the input of a call. The change is shown for review before it is applied. */
function editForm(asked: Asked, way: Way): Html {
  const { view, tool, given } = asked;
  const { source } = view.interrupt;
  if (source.type !== 'tool') return html``;
  const schema = view.interrupt.inputSchema ?? tool?.inputSchema ?? {};
  if (mayHoldSecret(schema)) return notHere(way, 'The input may contain a secret');
  const inner = html`${editInputs({ schema, value: source.input, editing: tool?.editing }, given)}
    <p><button>Review change</button></p>`;
  return folded(way, formTo(asked, way, inner, 'preview'), given?.get('way') === way.key);
}

function notHere(way: Way, why: string, isOpen = false): Html {
  const words = html`<p class="dim">
    ${why}. Secrets can only be entered in a terminal: <code>hitl resume</code>.
  </p>`;
  return folded(way, words, isOpen);
}

/** Renders the form for answering a question, with choices, form fields or text. */
function answerForm(asked: Asked, way: Way): Html {
  const { view, given } = asked;
  const schema = view.interrupt.answerSchema ?? {};
  if (view.secret || mayHoldSecret(schema)) return notHere(way, 'This is a secret', true);
  const inner =
    view.choices.length > 0 ? choiceInputs(view, given) : answerInputs(view.interrupt, schema, given);
  return html`<div class="act wide" data-key="${way.key}">
    ${formTo(
      asked,
      way,
      html`${inner}
        <p>${button(way)}</p>`,
    )}
  </div>`;
}

function choiceInputs(
  { choices, multiple, allowOther }: QuestionView,
  given: URLSearchParams | undefined,
): Html {
  const type = multiple ? 'checkbox' : 'radio';
  const taken = given?.getAll('choice') ?? [];
  const picks = choices.map(
    ({ number, label, answers, description }) =>
      html`<label class="pick"
        ><input
          type="${type}"
          name="choice"
          value="${number}"
          ${flag('checked', taken.includes(String(number)))}
        /><span
          >${label}${answers !== undefined && html` → <code>${answers}</code>`}${description !== undefined && html` <span class="dim">${description}</span>`}</span
        ></label
      >`,
  );
  const other =
    allowOther &&
    html`<label for="other">Something else</label
      ><input id="other" name="other" type="text" value="${given?.get('other') ?? ''}" />`;
  return html`<fieldset>
    <legend>${multiple ? 'Your choices:' : 'Your choice:'}</legend>
    ${picks}${other}
  </fieldset>`;
}

function answerInputs(interrupt: Interrupt, schema: JsonObject, given: URLSearchParams | undefined): Html {
  const types = typesOf(schema);
  if (types.length > 0 && !isPlainText(types))
    return fieldInputs({ name: 'answer', schema, value: emptyOf(schema) }, given);
  const id = `answer-${interrupt.id}`;
  const text = given?.get('text') ?? '';
  return html`<label for="${id}">Your answer</label
    >${textArea(html`id="${id}" name="text" rows="${rowsFor(text)}" required`, text)}`;
}

/** Whether an answer is plain text, exactly as typed. */
export function isPlainText(types: readonly string[]): boolean {
  return types.length === 0 || types.includes('string');
}

/** Returns the initial value of a form. */
export function emptyOf(schema: JsonObject): JsonValue {
  return typesOf(schema).includes('object') ? {} : null;
}
