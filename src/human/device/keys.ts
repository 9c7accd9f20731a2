// Invariants:
// K1 What a terminal says by itself (device attributes, cursor reports, focus, mouse, colours) never becomes a key (T13).
// K2 A paste between its markers is one event, whatever is in it.
// K3 How the bytes were split over reads does not matter, but for a lone Esc, which only time tells from a sequence.

/** A pressed key. `text` is empty for keys that do not type anything. */
export interface Key {
  /** The character itself, or `enter`, `newline`, `escape`, `backspace`, `delete`, `tab`, `up`, `home`, `pageup`, ... */
  readonly name: string;
  readonly text: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

export type KeyEvent =
  | { readonly type: 'key'; readonly key: Key }
  | { readonly type: 'paste'; readonly text: string };

const ESC = '\u001b';
const BEL = '\u0007';
const STRING_END = '\u009c';
const PASTE_START = '[200~';
const PASTE_END = `${ESC}[201~`;

const LETTERS: ReadonlyMap<string, string> = new Map([
  ['A', 'up'],
  ['B', 'down'],
  ['C', 'right'],
  ['D', 'left'],
  ['H', 'home'],
  ['F', 'end'],
]);
const NUMBERS: ReadonlyMap<string, string> = new Map([
  ['1', 'home'],
  ['3', 'delete'],
  ['4', 'end'],
  ['5', 'pageup'],
  ['6', 'pagedown'],
  ['7', 'home'],
  ['8', 'end'],
]);
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['\r', 'enter'],
  ['\n', 'newline'],
  ['\t', 'tab'],
  ['\b', 'backspace'],
  ['\u007f', 'backspace'],
]);

/** The token at the start of a text, with its length in characters and its event, if any. */
interface Token {
  readonly length: number;
  readonly event?: KeyEvent;
}

function key(name: string, text = '', modifiers: Partial<Key> = {}): KeyEvent {
  return { type: 'key', key: { name, text, ctrl: false, meta: false, shift: false, ...modifiers } };
}

function modifiersOf(parameter: string | undefined): Partial<Key> {
  const bits = Math.max(0, Number(parameter ?? '1') - 1);
  return { shift: (bits & 1) !== 0, meta: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 };
}

function keyOfSequence(parameters: string, final: string): KeyEvent | undefined {
  const [first = '', second, third] = parameters.split(';');
  const letter = LETTERS.get(final);
  if (letter !== undefined)
    return first === '' || first === '1' ? key(letter, '', modifiersOf(second)) : undefined;
  if (final === 'Z' && parameters === '') return key('tab', '', { shift: true });
  if (final === 'u' && first === '13') return key('enter', '', modifiersOf(second));
  if (final !== '~') return undefined;
  if (first === '27' && third === '13') return key('enter', '', modifiersOf(second));
  const name = NUMBERS.get(first);
  return name === undefined ? undefined : key(name, '', modifiersOf(second));
}

/** Reads a control sequence (`ESC [`); `undefined` if it is incomplete. */
function readSequence(text: string): Token | undefined {
  const body = /^[0-?]*[ -/]*/.exec(text.slice(2))?.[0] ?? '';
  const final = text[2 + body.length];
  if (final === undefined) return undefined;
  const length = 3 + body.length;
  if (final < '@' || final > '~') return { length: length - 1 };
  if (final === 'M' && body === '') return text.length < 6 ? undefined : { length: 6 };
  const event = keyOfSequence(body, final);
  return { length, ...(event && { event }) };
}

/**
 * Reads a string sent by the terminal (OSC, DCS, APC, PM, SOS). Such a string is always a report. Returns
 * `undefined` if the string is incomplete.
 */
function readString(text: string): Token | undefined {
  for (let index = 2; index < text.length; index += 1) {
    const character = text[index];
    if (character === BEL || character === STRING_END) return { length: index + 1 };
    if (character === ESC && index + 1 < text.length)
      return { length: text[index + 1] === '\\' ? index + 2 : index };
  }
  return undefined;
}

function readEscape(text: string): Token | undefined {
  const second = text[1];
  if (second === undefined) return undefined;
  if (second === '[') return readSequence(text);
  if (']PX^_'.includes(second)) return readString(text);
  if (second === ESC) return { length: 1, event: key('escape') };
  if (second === 'O') {
    const final = text[2];
    if (final === undefined) return undefined;
    const name = LETTERS.get(final) ?? (final === 'M' ? 'enter' : undefined);
    return { length: 3, ...(name !== undefined && { event: key(name) }) };
  }
  const { length, event } = readCharacter(text.slice(1));
  if (event?.type !== 'key') return { length: length + 1 };
  return { length: length + 1, event: { type: 'key', key: { ...event.key, text: '', meta: true } } };
}

function readCharacter(text: string): Token {
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const { length } = character;
  const named = CONTROLS.get(character);
  if (named !== undefined) return { length, event: key(named) };
  if (character < ' ') {
    const letter = String.fromCharCode(character.charCodeAt(0) + 96);
    return { length, event: key(letter, '', { ctrl: true }) };
  }
  if (character >= '\u0080' && character <= '\u009f') return { length };
  const shift = character.toLowerCase() !== character;
  return { length, event: key(character === ' ' ? 'space' : character, character, { shift }) };
}

/** Decodes terminal input into keys and pastes; discards the terminal's own reports. */
export class KeyDecoder {
  #rest = '';
  #pasted: string[] | undefined;

  /** Whether an incomplete sequence is pending; `flush` discards it. */
  get waiting(): boolean {
    return this.#rest !== '' && this.#pasted === undefined;
  }

  /**
   * Whether the pending input is a lone Esc, which may be the Esc key. Anything longer is the start of an
   * incomplete sequence.
   */
  get waitsForKey(): boolean {
    return this.waiting && this.#rest === ESC;
  }

  /** Whether a paste has started but not ended. */
  get pasting(): boolean {
    return this.#pasted !== undefined;
  }

  feed(text: string): readonly KeyEvent[] {
    const events: KeyEvent[] = [];
    let input = this.#rest + text;
    this.#rest = '';
    while (input !== '') {
      const used = this.#pasted === undefined ? this.#readKey(input, events) : this.#readPaste(input, events);
      if (used === undefined) {
        this.#rest = input;
        break;
      }
      input = input.slice(used);
    }
    return events;
  }

  /**
   * Ends the wait. A lone Esc is read as the Esc key, and any other incomplete sequence is discarded as a
   * report.
   */
  flush(): readonly KeyEvent[] {
    const lone = this.#rest === ESC && this.#pasted === undefined;
    if (this.#pasted === undefined) this.#rest = '';
    return lone ? [key('escape')] : [];
  }

  #readKey(input: string, events: KeyEvent[]): number | undefined {
    if (!input.startsWith(ESC)) {
      const token = readCharacter(input);
      if (token.event) events.push(token.event);
      return token.length;
    }
    if (input.startsWith(PASTE_START, 1)) {
      this.#pasted = [];
      return 1 + PASTE_START.length;
    }
    const token = readEscape(input);
    if (token?.event) events.push(token.event);
    return token?.length;
  }

  #readPaste(input: string, events: KeyEvent[]): number | undefined {
    const pasted = this.#pasted ?? [];
    const end = input.indexOf(PASTE_END);
    if (end >= 0) {
      pasted.push(input.slice(0, end));
      this.#pasted = undefined;
      events.push({ type: 'paste', text: pasted.join('').replace(/\r\n?/g, '\n') });
      return end + PASTE_END.length;
    }
    // The end marker may be cut: its possible start stays for the next read.
    const cut = input.lastIndexOf(ESC);
    const keep = cut >= 0 && PASTE_END.startsWith(input.slice(cut)) ? cut : input.length;
    pasted.push(input.slice(0, keep));
    return keep === 0 ? undefined : keep;
  }
}
