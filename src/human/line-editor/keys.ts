import type { LineState } from './state.js';
import {
  at,
  cutOut,
  erased,
  lineEnd,
  lineStart,
  lineText,
  openedPaste,
  replaced,
  typed,
  vertical,
  wordLeft,
  wordRight,
} from './state.js';
import type { Key } from '../device/keys.js';

/** The effect of a key, apart from changing the text. */
type LineEffect =
  | 'none'
  | 'submit'
  | 'interrupt'
  | 'end'
  | 'complete'
  | 'escape'
  | 'clear-screen'
  | 'ignored';

export interface LineStep {
  readonly state: LineState;
  readonly effect: LineEffect;
}

const TRIPLE = '"""';

/** Returns the message without the surrounding `"""` and the adjacent line breaks. */
export function messageOf(text: string): string {
  const trimmed = text.trim();
  const wrapped =
    trimmed.startsWith(TRIPLE) && trimmed.endsWith(TRIPLE) && trimmed.length >= 2 * TRIPLE.length;
  if (!wrapped) return text;
  return trimmed.slice(TRIPLE.length, -TRIPLE.length).replace(/^\n|\n$/g, '');
}

function entered(state: LineState): LineStep {
  const before = state.items[state.cursor - 1];
  if (before?.text === '\\') {
    return { state: replaced(state, state.cursor - 1, state.cursor, [{ text: '\n' }]), effect: 'none' };
  }
  const text = lineText(state).trim();
  const open = text.startsWith(TRIPLE) && (text.length < 2 * TRIPLE.length || !text.endsWith(TRIPLE));
  if (open) return { state: typed(state, '\n'), effect: 'none' };
  return { state, effect: 'submit' };
}

function controlKey(state: LineState, name: string): LineStep {
  const done = (next: LineState): LineStep => ({ state: next, effect: 'none' });
  switch (name) {
    case 'a':
      return done(at(state, lineStart(state)));
    case 'e':
      return done(at(state, lineEnd(state)));
    case 'b':
      return done(at(state, state.cursor - 1));
    case 'f':
      return done(at(state, state.cursor + 1));
    case 'p':
      return done(vertical(state, -1));
    case 'n':
      return done(vertical(state, 1));
    case 'u':
      return done(cutOut(state, lineStart(state), state.cursor));
    case 'k':
      return done(cutOut(state, state.cursor, lineEnd(state)));
    case 'w':
      return done(cutOut(state, wordLeft(state), state.cursor));
    case 'y':
      return done(replaced(state, state.cursor, state.cursor, state.cut));
    case 'left':
      return done(at(state, wordLeft(state)));
    case 'right':
      return done(at(state, wordRight(state)));
    case 'c':
      return { state, effect: 'interrupt' };
    case 'd':
      if (state.items.length === 0) return { state, effect: 'end' };
      return done(erased(state, state.cursor, state.cursor + 1));
    case 'l':
      return { state, effect: 'clear-screen' };
    default:
      return { state, effect: 'ignored' };
  }
}

function metaKey(state: LineState, name: string): LineStep {
  const done = (next: LineState): LineStep => ({ state: next, effect: 'none' });
  switch (name) {
    case 'enter':
    case 'newline':
      return done(typed(state, '\n'));
    case 'b':
    case 'left':
      return done(at(state, wordLeft(state)));
    case 'f':
    case 'right':
      return done(at(state, wordRight(state)));
    case 'd':
      return done(cutOut(state, state.cursor, wordRight(state)));
    case 'backspace':
      return done(cutOut(state, wordLeft(state), state.cursor));
    default:
      return { state, effect: 'ignored' };
  }
}

/** Applies a key to a line. */
export function pressKey(state: LineState, key: Key): LineStep {
  if (key.meta) return metaKey(state, key.name);
  if (key.ctrl) return controlKey(state, key.name);
  const done = (next: LineState): LineStep => ({ state: next, effect: 'none' });
  if (key.text !== '') return done(typed(state, key.text));
  switch (key.name) {
    case 'enter':
      return key.shift ? done(typed(state, '\n')) : entered(state);
    case 'newline':
      return done(typed(state, '\n'));
    case 'backspace':
      return done(state.cursor === 0 ? state : erased(state, state.cursor - 1, state.cursor));
    case 'delete':
      return done(erased(state, state.cursor, state.cursor + 1));
    case 'left':
      return done(openedPaste(state, 'before') ?? at(state, state.cursor - 1));
    case 'right':
      return done(openedPaste(state, 'behind') ?? at(state, state.cursor + 1));
    case 'home':
      return done(at(state, lineStart(state)));
    case 'end':
      return done(at(state, lineEnd(state)));
    case 'up':
      return done(vertical(state, -1));
    case 'down':
      return done(vertical(state, 1));
    case 'tab':
      return { state, effect: 'complete' };
    case 'escape':
      return { state, effect: 'escape' };
    default:
      return { state, effect: 'ignored' };
  }
}
