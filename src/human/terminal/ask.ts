import type {
  Actor,
  AlwaysOffer,
  AskingHelp,
  EditPreview,
  Interrupt,
  JsonObject,
  JsonValue,
  RulePlace,
  RunState,
  ShownEdit,
  ToolRule,
} from '../../core/index.js';
import {
  aboutEdited,
  alwaysOffers,
  escapeText,
  isJsonArray,
  jsonEquals,
  mayHoldSecret,
  mayBeUnread,
  membersOf,
  messageOf,
  present,
  SESSION_SIZES,
  stateAt,
  subjectOfSource,
  unreadWords,
} from '../../core/index.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import type { KeyChoice } from '../prompt/key-prompt.js';
import type { PickContext } from '../prompt/pick-one.js';
import { answered, BACK } from '../prompt/prompter.js';
import { askKey } from '../prompt/key-prompt.js';
import { askText } from '../prompt/ask-text.js';
import { askOnce } from '../prompt/pick-one.js';
import { viewAndDecide, viewWhole } from '../prompt/view-whole.js';
import type { EarlyAnswer, QuestionView } from '../question/question-text.js';
import type { Said, SeenRows } from '../look/asked-window.js';
import { AskedWindow, NOTHING_SAID, saidRows } from '../look/asked-window.js';
import { briefRows, detailRows, wholeRows } from '../look/terminal-look.js';
import { withHighlights } from '../look/highlight.js';
import { earlyAnswerView, editedView, isWarned, questionView, toolOf } from '../question/question-text.js';
import type { YesWords } from '../question/words.js';
import { yesWords } from '../question/words.js';
import { changeValue } from '../edit-json/edit-json.js';
import type { QuestionDrafts } from '../prompt/ask-text.js';
import { checkSchema } from '../answer/check-schema.js';
import { ALL_SHOWN, lastingWords, OTHER_KEYS } from '../question/key-words.js';
import { BUILT_IN } from '../question/words.js';
import type { AlwaysFor, AlwaysMenu, AlwaysMove } from './always.js';
import { alwaysChoices, alwaysLines } from './always.js';
import type { Matter } from './decide.js';
import { decide, passingOn, respond, wordsForModel } from './decide.js';
import type { Move, MoveOptions } from './keys.js';
import { changedMoves, explained, movesOf } from './keys.js';
import type { Recorded } from './recorded-line.js';

export interface AskOptions {
  /** All open interrupts, for the position "1 of 2". */
  readonly open: readonly Interrupt[];
  readonly editor?: Matter['editor'];
  /** Whether Esc returns to the caller. If false, Esc returns to the answer prompt. */
  readonly leavesWithEsc: boolean;
  /** Whether the user can go to a message prompt while the question is waiting. Default: false. */
  readonly hasPrompt?: boolean;
  /** Whether the user can also approve later calls of the tool. */
  readonly offersAlways: (interrupt: Interrupt) => boolean;
  readonly keep?: KeepRule;
  /** Rows of this question that have already been on screen. Default: none. */
  readonly seen?: SeenRows;
  /**
   * Previews the effect of an edit. Without it, the edit is sent without a preview, and the question is asked
   * again.
   */
  readonly help?: AskingHelp;
  readonly drafts?: QuestionDrafts;
  /** The user who is asked. */
  readonly you?: Actor;
}

/** Saves a user's rule for the folder they are working in. */
export interface KeepRule {
  readonly place: RulePlace;
  rule(rule: ToolRule): Promise<void>;
}

/**
 * Minimum number of rows for the question. If the `?` help leaves fewer, the question is not drawn with it.
 */
const LEAST_ROOM = 4;
/** Maximum number of rows for a question's keys and its last line. */
const MOST_KEY_ROWS = 4;
/** Word that the user must type to approve a question that was not shown in full. */
const UNREAD_WORD = 'approve';

/** An interrupt and its view. */
interface Asking {
  readonly interrupt: Interrupt;
  readonly state: RunState;
  readonly view: QuestionView;
}

/** A call after the user changed it. */
interface Changed {
  readonly input: JsonValue;
  /** Label for approving the changed call. */
  readonly yes: YesWords;
  /** Preview of the call's effect; absent if none is available. */
  readonly seen?: ShownEdit;
}
/** An alternative to a decision about a changed call: change it again, or remove one of its rows. */
type Again = 'again' | { readonly row: number };
const NO_CHANGE = 'You changed nothing.';
const SET_ASIDE = 'This is the original call. Press e to bring your change back';

/** Shows one interrupt until the user makes a decision or switches to another interrupt. */
class Question {
  readonly #prompter: Prompter;
  /** The prompter without this question, for prompts that do not show it. */
  readonly #around: Prompter;
  readonly #options: AskOptions;
  readonly #view: QuestionView;
  readonly #asked: AskedWindow;
  readonly #matter: Matter;
  /** Response to the last key, shown below the question. */
  #said: Said = NOTHING_SAID;
  /** Whether the response is the help shown after `?`. */
  #isHelpOpen = false;
  /** The changed call. Absent if the user did not change it. */
  readonly #changed: Changed | undefined;

  constructor(
    prompter: Prompter,
    { interrupt, state, view }: Asking,
    options: AskOptions,
    changed?: Changed,
  ) {
    const { theme } = prompter;
    this.#changed = changed;
    this.#around = prompter;
    this.#prompter = { ...prompter, view: (size) => this.#asked.rowsWith(this.#said, size) };
    this.#options = options;
    this.#view = view;
    this.#asked = new AskedWindow((columns) => briefRows(view, columns, theme), theme, options.seen);
    this.#matter = {
      view: this.#view,
      interrupt,
      state,
      tool: toolOf(interrupt, state),
      ...(options.editor && { editor: options.editor }),
      ...(options.drafts && { drafts: options.drafts }),
    };
  }

  /** Asks about the changed call. */
  askChanged(): Promise<Asked<Recorded | Again>> {
    return this.#askMoves();
  }

  async ask(): Promise<Asked<Recorded>> {
    if (this.#view.interrupt.kind !== 'question') return this.#askWays();
    for (let isFirst = true; ; isFirst = false) {
      const asked = await respond(this.#prompter, this.#matter, isFirst);
      if (asked.type === 'answered') return answered({ resolution: asked.value });
      const moved = await this.#askWays();
      if (moved.type === 'answered' || this.#options.leavesWithEsc) return moved;
    }
  }

  get #moves(): readonly KeyChoice<Move>[] {
    const pages = this.#asked.unread !== undefined;
    return this.#movesWith(this.#asked.refusal, { unread: this.#mayBeUnread && pages, pages });
  }

  /**
   * Whether the call can be approved before it has been shown in full. This is possible only for changes made
   * by a built-in tool. Such a change must not have a warning, and no rule may ask about it.
   */
  get #mayBeUnread(): boolean {
    const { interrupt } = this.#view;
    const isOurs = this.#matter.tool?.origin === BUILT_IN && !isWarned(this.#view);
    return isOurs && this.#options.offersAlways(interrupt) && mayBeUnread(interrupt);
  }

  #movesWith(refusal?: string, read: Pick<MoveOptions, 'unread' | 'pages'> = {}): readonly KeyChoice<Move>[] {
    const { interrupt } = this.#view;
    // A call that a workflow makes by itself has no model behind it.
    const here = stateAt(this.#matter.state, interrupt.path);
    const hears = interrupt.path === '' || (here?.entries.length ?? 0) > 0;
    if (this.#changed !== undefined)
      return changedMoves(this.#view, this.#changed.yes, { refusal, hears, ...read });
    const always = this.#options.offersAlways(interrupt);
    return movesOf(this.#view, { refusal, hears, always, ...read });
  }

  async #askWays(): Promise<Asked<Recorded>> {
    for (;;) {
      const asked = await this.#askMoves();
      if (asked.type === 'back') return BACK;
      if (asked.value !== 'again' && !('row' in asked.value)) return answered(asked.value);
    }
  }

  async #askMoves(): Promise<Asked<Recorded | Again>> {
    for (;;) {
      const asked = await askKey<Move>(this.#prompter, {
        message: this.#view.decision,
        choices: () => this.#moves,
        scroll: (key) => this.#asked.press(key),
      });
      const isListOpen = this.#said !== NOTHING_SAID;
      this.#said = NOTHING_SAID;
      const isClosing = this.#isHelpOpen && asked.type === 'answered' && asked.value.type === 'more';
      this.#isHelpOpen = false;
      if (isClosing) continue;
      if (asked.type === 'back') {
        if (isListOpen) continue; // Esc closes what `?` said
        return BACK;
      }
      const decision = await this.#make(asked.value);
      if (decision.type === 'answered') return decision;
    }
  }

  async #make(move: Move): Promise<Asked<Recorded | Again>> {
    switch (move.type) {
      case 'way': {
        if (move.way.takes === 'input') return this.#change();
        const asked = await decide(this.#prompter, this.#matter, move.way);
        return asked.type === 'back' ? BACK : answered({ resolution: asked.value });
      }
      case 'and': {
        const words = await wordsForModel(this.#prompter, this.#options.drafts?.of('and'));
        return words.type === 'back' ? BACK : this.#approve(words.value);
      }
      case 'changed':
        return this.#approve();
      case 'again':
        return answered('again');
      case 'row': {
        const { source } = this.#matter.interrupt;
        if (this.#changed !== undefined) return answered({ row: move.row });
        return source.type === 'tool' ? this.#change(withoutRow(source.input, move.row)) : BACK;
      }
      case 'always':
        return this.#askAlways();
      case 'view':
        return this.#viewAll();
      case 'unread':
        return this.#askUnread();
      case 'more':
        this.#said = await explain(
          this.#prompter,
          [...explained(this.#moves), ...this.#otherKeys],
          (columns) => detailRows(this.#view, columns, this.#prompter.theme),
        );
        this.#isHelpOpen = this.#said !== NOTHING_SAID;
        return BACK;
    }
  }

  /** Help text for the keys that do not answer, if they currently have an effect. */
  get #otherKeys(): readonly string[] {
    const { open, hasPrompt = false } = this.#options;
    const { later, list, folds, mode, scroll } = OTHER_KEYS;
    return [
      ...(open.length > 1 ? [list] : hasPrompt ? [later] : []),
      scroll,
      ...(hasPrompt ? [folds, mode] : []),
    ];
  }

  /**
   * Approves a call that was not shown in full. The user must type a word, and the number of unread rows is
   * recorded.
   */
  async #askUnread(): Promise<Asked<Recorded>> {
    const { unread } = this.#asked;
    if (unread === undefined) return BACK;
    const asked = await askText(this.#prompter, {
      prompt: `type ${UNREAD_WORD}: `,
      hint: `${unreadWords(unread)} · Enter approves it unread · Esc back`,
      guard: 'all',
      check: (text) => (text.trim() === UNREAD_WORD ? undefined : `Type “${UNREAD_WORD}”, or Esc to read on`),
    });
    return asked.type === 'back' ? BACK : answered({ resolution: { action: 'restart' }, unread });
  }

  /** Approves the call as shown, with any change that the user made. */
  async #approve(note?: string): Promise<Asked<Recorded>> {
    const { input, seen } = this.#changed ?? {};
    const asked = await passingOn(this.#prompter, this.#matter, input === undefined ? {} : { input });
    if (asked.type === 'back') return BACK;
    const { value } = asked;
    const told = value.action === 'restart' && note !== undefined ? { ...value, note } : value;
    return answered({ resolution: told, ...(seen !== undefined && { seen }) });
  }

  /**
   * Lets the user change the call, then asks about the changed call. The changed call must be approved with a
   * separate key.
   * @param done the changed input, if a key has already changed it
   */
  async #change(done?: JsonValue): Promise<Asked<Recorded>> {
    const { interrupt, tool, editor } = this.#matter;
    const { source } = interrupt;
    if (source.type !== 'tool') return BACK;
    const schema = tool?.inputSchema ?? interrupt.inputSchema;
    const drafts = this.#options.drafts?.of('input');
    const kept = this.#options.drafts?.of('changed');
    const holdsSecret = mayHoldSecret(schema ?? {});
    const setAside = (isChanged: boolean) => {
      const words = `${SET_ASIDE}${holdsSecret ? ', without its secrets' : ''}.`;
      if (isChanged) this.#said = saidRows([words], this.#prompter.theme);
      return BACK;
    };
    let problems: readonly string[] = [];
    let isDone = done !== undefined;
    for (let value = done ?? kept?.read()?.value ?? source.input; ;) {
      if (!isDone) {
        const asked = await changeValue(this.#prompter, {
          value,
          title: `the input of ${subjectOfSource(source)}`,
          problems,
          ...present({ schema, editor, drafts, editing: tool?.editing }),
        });
        const isOther = !jsonEquals(value, source.input);
        if (asked.type === 'back') return setAside(isOther || drafts?.read()?.isChanged === true);
        value = asked.value;
      }
      isDone = false;
      const isChanged = !jsonEquals(value, source.input);
      // What may hold a secret is kept by the form, which leaves those out.
      kept?.keep(isChanged && !holdsSecret ? { value, index: 0, isChanged } : undefined);
      if (!isChanged) {
        this.#said = saidRows([NO_CHANGE], this.#prompter.theme);
        return BACK;
      }
      const preview = await this.#preview(value, schema);
      problems = preview.ok ? [] : preview.issues.map(escapeText);
      if (!preview.ok) continue;
      const decided = await this.#askAbout(preview, value);
      if (decided.type === 'back') return setAside(true);
      if (decided.value === 'again') continue;
      if (!('row' in decided.value)) return answered(decided.value);
      value = withoutRow(value, decided.value.row);
      isDone = true;
    }
  }

  async #preview(value: JsonValue, schema: JsonObject | undefined): Promise<EditPreview> {
    const { interrupt } = this.#matter;
    const { help } = this.#options;
    if (help !== undefined) return help.preview(interrupt, value, this.#prompter.terminal.signal);
    const issues = checkSchema(value, schema);
    if (issues.length > 0) return { ok: false, issues };
    return { ok: true, interrupt: aboutEdited(interrupt, value), shown: { input: value } };
  }

  async #askAbout(
    { interrupt, shown }: EditPreview & { readonly ok: true },
    input: JsonValue,
  ): Promise<Asked<Recorded | Again>> {
    const { state, tool } = this.#matter;
    const plain = editedView(viewOf(interrupt, state, this.#prompter, this.#options), this.#view);
    const view = this.#prompter.theme.syntax === undefined ? plain : await withHighlights(plain);
    const yes = yesWords(this.#matter.interrupt, tool);
    const isSeen = this.#options.help !== undefined;
    const changed = { input, yes, ...(isSeen && { seen: shown }) };
    const { seen: _ofTheCallBefore, ...options } = this.#options;
    return new Question(this.#around, { interrupt, state, view }, options, changed).askChanged();
  }

  /** Asks which later calls to approve as well. The key of the widest scope must be pressed twice. */
  async #askAlways(): Promise<Asked<Recorded>> {
    const lasts = lastingWords(this.#view.interrupt);
    // A rule that is kept has no end, and the approval does.
    const keeps = this.#options.keep !== undefined && lasts === undefined;
    let menu: AlwaysMenu = {
      offers: this.#offers(),
      counts: 'session',
      keeps,
      sure: false,
      ...(lasts !== undefined && { lasts }),
    };
    for (;;) {
      const asked = await this.#askMenu(menu);
      if (asked.type === 'back') return BACK;
      const move = asked.value;
      if (move.type === 'turn') menu = { ...menu, counts: move.to, sure: false };
      else if (move.offer.size === 'tool' && !menu.sure) menu = { ...menu, sure: true };
      else return this.#takeAlways(move.offer, menu.counts);
    }
  }

  /** Shows the scopes below the question, or on a separate screen if there is no room. */
  async #askMenu(menu: AlwaysMenu): Promise<Asked<AlwaysMove>> {
    const lines = alwaysLines(menu);
    const rows = saidRows(lines, this.#prompter.theme);
    if (!hasRoomFor(this.#prompter, rows)) {
      const { decided } = await viewAndDecide(this.#prompter, rows, alwaysChoices(menu));
      return decided === undefined ? BACK : answered(decided.value);
    }
    this.#said = rows;
    const asked = await askKey<AlwaysMove>(this.#prompter, {
      message: 'Approve, and always allow:',
      choices: alwaysChoices(menu),
      isExplained: true,
    });
    this.#said = NOTHING_SAID;
    return asked;
  }

  #offers(): readonly AlwaysOffer[] {
    const { source, payload } = this.#view.interrupt;
    if (source.type !== 'tool') return [];
    const { name, input } = source;
    const { tool } = this.#matter;
    const call = { name, input, payload, ...(tool !== undefined && { tool }) };
    return alwaysOffers(SESSION_SIZES, call, this.#options.keep?.place);
  }

  /**
   * Approves the call and later calls. If the rule cannot be saved, nothing is approved, and the user sees
   * the reason and is asked again.
   */
  async #takeAlways(offer: AlwaysOffer, counts: AlwaysFor): Promise<Asked<Recorded>> {
    const { keep } = this.#options;
    const kept = counts === 'folder' && keep !== undefined && offer.rule !== undefined;
    try {
      if (kept) await keep.rule(offer.rule);
    } catch (thrown) {
      this.#said = saidRows([escapeText(messageOf(thrown))], this.#prompter.theme);
      return BACK;
    }
    return answered({ resolution: { action: 'restart' }, always: { offer, kept } });
  }

  /**
   * Shows the whole question page by page. Once all of it has been on screen, the question's keys also work
   * in this view.
   */
  async #viewAll(): Promise<Asked<Recorded | Again>> {
    const { theme } = this.#prompter;
    const moves = this.#movesWith().filter(({ value }) => value.type === 'way' || value.type === 'changed');
    const rows = (columns: number) => wholeRows(this.#view, columns, theme);
    if (this.#asked.shows(rows(this.#prompter.terminal.columns))) {
      this.#said = saidRows([ALL_SHOWN], theme);
      return BACK;
    }
    const { seen, decided } = await viewAndDecide(this.#prompter, rows, moves);
    if (seen) this.#asked.markSeen();
    return decided === undefined ? BACK : this.#make(decided.value);
  }
}

/** Returns the input of a grant without one of its rows. */
function withoutRow(input: JsonValue, row: number): JsonValue {
  const { calls = [], ...rest } = membersOf(input);
  return isJsonArray(calls) ? { ...rest, calls: calls.filter((_, at) => at !== row) } : input;
}

function hasRoomFor({ terminal: { columns, rows } }: Prompter, said: Said): boolean {
  return rows - said(columns).length >= MOST_KEY_ROWS + LEAST_ROOM;
}

function viewOf(
  interrupt: Interrupt,
  state: RunState,
  { clock }: Prompter,
  { open, you }: AskOptions,
): QuestionView {
  return questionView(interrupt, state, { open, now: clock.now(), limits: null, ...present({ you }) });
}

/**
 * Explains the keys and shows the details. Returns the rows to draw below the question. If they would leave
 * no room for the question, shows them on a separate screen instead.
 */
export async function explain(
  prompter: Prompter,
  lines: readonly string[],
  details: Said = NOTHING_SAID,
): Promise<Said> {
  const keys = saidRows(lines, prompter.theme);
  const said: Said = (columns) => [...keys(columns), ...details(columns)];
  if (hasRoomFor(prompter, said)) return said;
  await viewWhole(prompter, said);
  return NOTHING_SAID;
}

/** Shows one interrupt and asks for a decision. Esc goes back. */
export async function askInterrupt(
  prompter: Prompter,
  interrupt: Interrupt,
  state: RunState,
  options: AskOptions,
): Promise<Asked<Recorded>> {
  const { theme } = prompter;
  const view = viewOf(interrupt, state, prompter, options);
  const shown = theme.syntax === undefined ? view : await withHighlights(view);
  return new Question(prompter, { interrupt, state, view: shown }, options).ask();
}

/**
 * Shows an interrupt with an answer given earlier, and asks whether to use that answer. `y` works only after
 * everything has been on screen. Any other key means no.
 */
export async function confirmEarly(
  context: PickContext,
  early: EarlyAnswer,
  signal: AbortSignal,
): Promise<boolean> {
  const { theme, clock } = context;
  const view = earlyAnswerView(early, clock.now());
  const shown = theme.syntax === undefined ? view : await withHighlights(view);
  const asked = new AskedWindow((columns) => briefRows(shown, columns, theme), theme);
  const choices = (): readonly KeyChoice<boolean>[] => [
    {
      key: 'y',
      label: early.yes,
      value: true,
      ...(asked.refusal !== undefined && { disabled: asked.refusal }),
    },
    { key: 'n', label: early.no, value: false },
  ];
  const question = { message: early.message, choices, scroll: (key: string) => asked.press(key) };
  const said = await askOnce(
    context,
    (prompter) => askKey({ ...prompter, view: ({ columns, rows }) => asked.rows(columns, rows) }, question),
    signal,
  );
  return said.type === 'answered' && said.value;
}
