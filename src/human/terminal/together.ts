import type { Interrupt, Resolution, RunState, Way } from '../../core/index.js';
import { waysAt } from '../../core/index.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import type { KeyChoice } from '../prompt/key-prompt.js';
import { answered, BACK, saying } from '../prompt/prompter.js';
import { askChoice } from '../prompt/choice-prompt.js';
import { askKey } from '../prompt/key-prompt.js';
import type { QuestionDrafts } from '../prompt/ask-text.js';
import type { SeenRows } from '../look/asked-window.js';
import type { Together } from '../question/together.js';
import { AskedWindow, NOTHING_SAID } from '../look/asked-window.js';
import { listedRows } from '../look/terminal-look.js';
import { withHighlights } from '../look/highlight.js';
import { MORE_KEY, NEXT_PAGE } from '../question/key-words.js';
import { oneLineOf } from '../question/question-plain.js';
import { questionView, toolOf } from '../question/question-text.js';
import {
  areAnsweredTogether,
  areRejectedTogether,
  leftWords,
  togetherKeys,
  togetherOf,
  togetherWords,
  waitingWords,
} from '../question/together.js';
import { explain } from './ask.js';
import { decide } from './decide.js';

/** The user's choice among several open questions: one question, or a common answer for several of them. */
export type Picked =
  | { readonly type: 'one'; readonly interrupt: Interrupt }
  | { readonly type: 'all'; readonly interrupts: readonly Interrupt[]; readonly resolution: Resolution };

/**
 * Maximum number of questions that can be chosen with a single digit. With more questions, the user chooses
 * from a separate list.
 */
const ONE_DIGIT = 9;
/** Width of the number in a row of the list, in columns. */
const NUMBER_COLUMNS = 8;
const LEAST_COLUMNS = 30;

type Move = Picked | { readonly type: 'list' | 'reject' | 'more' };

/** Rows that were seen, and text that was typed, when these questions were last shown together. */
interface ShownBefore {
  readonly seen: SeenRows;
  readonly drafts: QuestionDrafts;
}

/**
 * Shows all open interrupts on one screen. If a common answer is possible, the screen includes the main
 * content of each interrupt. Esc goes back.
 */
export async function pickOpen(
  prompter: Prompter,
  open: readonly Interrupt[],
  state: RunState,
  before: ShownBefore,
): Promise<Asked<Picked>> {
  return areAnsweredTogether(open) ? askTogether(prompter, open, state, before) : pickNumber(prompter, open);
}

/** Shows a numbered list of questions, which the user can answer in any order. */
async function pickNumber(prompter: Prompter, open: readonly Interrupt[]): Promise<Asked<Picked>> {
  const { terminal, theme } = prompter;
  const room = Math.max(LEAST_COLUMNS, terminal.columns - NUMBER_COLUMNS);
  const asked = await askChoice(
    saying(prompter, () => [theme.title(waitingWords(open))]),
    {
      message: 'Which one first?',
      rows: open.map((interrupt) => ({ label: oneLineOf(interrupt, room) })),
      multiple: false,
    },
  );
  const [index] = asked.type === 'back' ? [] : asked.value;
  const interrupt = index === undefined ? undefined : open[index];
  return interrupt === undefined ? BACK : answered({ type: 'one', interrupt });
}

/**
 * Shows the main content of each question and the keys that answer all of them. The approval key works only
 * after every question has been shown in full, according to the rules in `asked-window.ts`.
 */
async function askTogether(
  prompter: Prompter,
  open: readonly Interrupt[],
  state: RunState,
  { seen, drafts }: ShownBefore,
): Promise<Asked<Picked>> {
  const { theme, clock } = prompter;
  const options = { open, now: clock.now(), limits: null };
  const plain = open.map((interrupt) => questionView(interrupt, state, options));
  const views = theme.syntax === undefined ? plain : await Promise.all(plain.map(withHighlights));
  const together = togetherOf(open, views, state);
  const left = leftWords(together);
  const head = [waitingWords(open), ...(left === undefined ? [] : [left])];
  const asked = new AskedWindow((columns) => listedRows(views, head, columns, theme), theme, seen);
  let said = NOTHING_SAID;
  const asking: Prompter = { ...prompter, view: (size) => asked.rowsWith(said, size) };
  for (;;) {
    const moved = await askKey<Move>(asking, {
      message: togetherWords(together),
      choices: () => movesOf(together, asked),
      scroll: (key) => asked.press(key),
    });
    const isListOpen = said !== NOTHING_SAID;
    said = NOTHING_SAID;
    if (moved.type === 'back') {
      if (isListOpen) continue; // Esc closes what `?` said
      return BACK;
    }
    const move = moved.value;
    switch (move.type) {
      case 'one':
      case 'all':
        return answered(move);
      case 'list': {
        const picked = await pickNumber(prompter, open);
        if (picked.type === 'answered') return picked;
        break;
      }
      case 'reject': {
        const [first] = open;
        const view = views[0];
        const way = first && waysAt(first).find(isRejection);
        if (first === undefined || view === undefined || way === undefined) break;
        const matter = { view, interrupt: first, state, tool: toolOf(first, state), drafts };
        const given = await decide(asking, matter, way);
        if (given.type === 'answered') {
          return answered({ type: 'all', interrupts: open, resolution: given.value });
        }
        break;
      }
      case 'more':
        if (!isListOpen) said = await explain(prompter, helpOf(together));
        break;
    }
  }
}

function isRejection(way: Way): way is Exclude<Way, { readonly takes: 'input' }> {
  return way.action === 'reject' && way.takes !== 'input';
}

function movesOf(
  together: Together,
  { refusal, unread }: Pick<AskedWindow, 'refusal' | 'unread'>,
): readonly KeyChoice<Move>[] {
  const { open, calm } = together;
  const { approve, reject, one } = togetherKeys(together);
  const isShort = open.length <= ONE_DIGIT;
  return [
    ...(calm.length === 0
      ? []
      : [
          {
            key: approve.key,
            label: approve.label,
            value: { type: 'all', interrupts: calm, resolution: { action: 'restart' } } as const,
            ...(refusal !== undefined && { disabled: refusal }),
            ...(unread !== undefined && { instead: NEXT_PAGE }),
          },
        ]),
    ...(areRejectedTogether(open)
      ? [{ key: reject.key, label: reject.label, value: { type: 'reject' } as const }]
      : []),
    ...(isShort ? open : open.slice(0, 1)).map((interrupt, index): KeyChoice<Move> => ({
      key: String(index + 1),
      label: one.label,
      value: isShort ? { type: 'one', interrupt } : { type: 'list' },
      ...(index === 0 ? isShort && { shown: one.key } : { yields: 'list' }),
    })),
    { key: MORE_KEY.key, label: MORE_KEY.label, value: { type: 'more' } },
  ];
}

function helpOf(together: Together): readonly string[] {
  const { approve, reject, one } = togetherKeys(together);
  const keys = [
    ...(together.calm.length > 0 ? [approve] : []),
    ...(areRejectedTogether(together.open) ? [reject] : []),
    one,
  ];
  return keys.map(({ key, label, help }) => `${key}  ${label}: ${help}`);
}
