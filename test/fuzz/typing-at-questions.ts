// A person who types, pastes and resizes while questions come and go, on a clock of our own; and what has to hold then.
import fc from 'fast-check';

import type { Answer, Interrupt } from '../../src/core/index.js';
import { emptyState, HitlError, toolRef } from '../../src/core/index.js';
import { plainTheme } from '../../src/human/device/theme.js';
import { Composer, TerminalChannel } from '../../src/human/seated.js';
import { bankState, KEYS, openInterrupt, testTerminal, tokensOf } from '../human/terminal-harness.js';
import type { TestTerminal } from '../human/terminal-harness.js';

const ESC = '\u001b';
/** The times that G30 names, in milliseconds. */
const DEAF_MS = 300;
const TOGETHER_MS = 30;
/** Letters of one text follow each other sooner (D6). */
const TYPING_MS = 600;
/** A lone Esc is that key after this time at the latest. */
const ESCAPE_MS = 60;
/** Says that the next Esc takes what is in the line. */
const CLEARS = 'Esc again to clear the line';
/** The screen is looked at so often. */
const LOOK_MS = 250;

/** What a person, or their terminal, does after some time. */
export type Step = { readonly after: number } & (
  | { readonly type: 'word'; readonly start: string; readonly gap: number }
  | { readonly type: 'key'; readonly bytes: string }
  /** Between its markers, in two reads. */
  | { readonly type: 'paste'; readonly shape: string; readonly cut: number; readonly apart: number }
  /** Without markers: in one read, or a character at a time. */
  | { readonly type: 'raw'; readonly shape: string; readonly apart: number | undefined }
  | { readonly type: 'report'; readonly bytes: string; readonly cut: number; readonly apart: number }
  | { readonly type: 'size'; readonly columns: number; readonly rows: number }
);

type Ask = 'short' | 'long' | 'words' | 'choice';

/** What the model does until the next turn of the person: it says something, then asks. */
interface Run {
  readonly says: readonly number[];
  readonly asks: readonly Ask[];
  /** After this time the first of them is answered elsewhere. */
  readonly goneAfter: number | undefined;
}

export interface Schedule {
  readonly columns: number;
  readonly rows: number;
  readonly runs: readonly Run[];
  readonly steps: readonly Step[];
}

const after = fc.constantFrom(0, 0, 20, 60, 120, 250, 350, 450, 700, 1200, 2500);
const keyStep = fc
  .constantFrom(
    ...['y', 'y', 'y', 'Y', 'n', 'N', 'e', 'a', 'w', 'c', 't', 'p', 'u', 'v', 'q', '?', '1', '2', 's'],
    ...[' ', ' ', KEYS.down, KEYS.end, '\u001b[6~', KEYS.tab, KEYS.enter, KEYS.enter, KEYS.escape],
  )
  .map((bytes) => ({ type: 'key', bytes }) as const);
/** `#` stands for a word that is nowhere else. */
const SHAPES = ['#', '#\n#\n', '#\ny\n', 'y\n', 'y\r', '#\ry', '  y', 'y#', '# # #\n\n#'];
const cut = fc.integer({ min: 2, max: 30 });
const step: fc.Arbitrary<Step> = fc
  .tuple(
    after,
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          type: fc.constant('word' as const),
          start: fc.constantFrom('y', 'n', 'yes', 'e', 'maybe', 'why', 'no', 'a', 'Yes', 'k', 'w', 'b'),
          gap: fc.constantFrom(0, 5, 35, 80, 120, 150),
        }),
      },
      { weight: 8, arbitrary: keyStep },
      {
        weight: 2,
        arbitrary: fc.record({
          type: fc.constant('paste' as const),
          shape: fc.constantFrom(...SHAPES, `#${ESC}[A#`, `#${ESC}[20#`),
          cut,
          apart: fc.constantFrom(0, 10, 40, 200),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          type: fc.constant('raw' as const),
          shape: fc.constantFrom(...SHAPES),
          apart: fc.constantFrom(undefined, 1, 8, 20),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          type: fc.constant('report' as const),
          bytes: fc.constantFrom(
            `${ESC}[24;80R`,
            `${ESC}[?2026;2$y`,
            `${ESC}]52;c;eQ==\u0007`,
            `${ESC}P>|y${ESC}\\`,
          ),
          cut,
          apart: fc.constantFrom(0, 10, 80, 200),
        }),
      },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom([80, 24], [40, 12], [60, 16], [100, 30])
          .map(([columns = 80, rows = 24]) => ({ type: 'size' as const, columns, rows })),
      },
    ),
  )
  .map(([ms, one]): Step => ({ after: ms, ...one }));

/** What somebody does who reads so many pages, and says yes. */
const reading = fc
  .tuple(fc.nat(5), fc.constantFrom('y', 'y', 'Y', KEYS.tab))
  .map(([pages, yes]): readonly Step[] => [
    ...Array.from({ length: pages }, (): Step => ({ type: 'key', bytes: ' ', after: 500 })),
    { type: 'key', bytes: yes, after: 1200 },
  ]);

export const schedules: fc.Arbitrary<Schedule> = fc
  .record({
    size: fc.constantFrom([80, 24], [60, 16], [40, 12]),
    runs: fc.array(
      fc.record({
        says: fc.array(fc.constantFrom(0, 30, 90, 400), { maxLength: 4 }),
        asks: fc.array(fc.constantFrom<Ask>('short', 'short', 'short', 'long', 'words', 'choice'), {
          maxLength: 2,
        }),
        goneAfter: fc.option(fc.constantFrom(200, 900, 2100, 4000), { nil: undefined, freq: 1 }),
      }),
      { minLength: 2, maxLength: 5 },
    ),
    parts: fc.array(
      fc.oneof({ weight: 4, arbitrary: step.map((one) => [one]) }, { weight: 2, arbitrary: reading }),
      {
        minLength: 4,
        maxLength: 25,
      },
    ),
  })
  .map(({ size: [columns = 80, rows = 24], runs, parts }) => ({ columns, rows, runs, steps: parts.flat() }));

type Kind = 'key' | 'letter' | 'paste' | 'raw' | 'report';

/** Bytes that come at once, after some time; none where only time passes. */
interface Piece {
  readonly after: number;
  readonly bytes: string;
  /** `letter`: one of a word but its first, which is a key like any other. */
  readonly kind: Kind;
  /** Whether a text goes on with it, ends, or ends with Enter; absent: nothing is known by then. */
  readonly types?: 'on' | 'end' | 'entered';
}

/** Bytes that came. */
export interface Read extends Omit<Piece, 'after'> {
  readonly at: number;
  /** The word of which it is a letter. */
  readonly word?: number;
}

/** Names what is typed. */
interface Namer {
  /** From here on it is known for whom a text is. */
  begin(): void;
  /** A word that stands nowhere else. */
  word(start: string): string;
}

/** What comes of a step, piece by piece. */
export function* piecesOf(step: Exclude<Step, { type: 'size' }>, namer: Namer): Generator<Piece, void> {
  const filled = (shape: string): string => shape.replaceAll('#', () => namer.word('p'));
  switch (step.type) {
    case 'key':
      yield { after: 0, bytes: step.bytes, kind: 'key', types: typesOf(step.bytes) };
      return;
    case 'word':
      namer.begin();
      for (const [at, bytes] of Array.from(namer.word(step.start)).entries())
        yield at === 0
          ? { after: 0, bytes, kind: 'key', types: 'on' }
          : { after: step.gap, bytes, kind: 'letter', types: 'on' };
      return;
    case 'raw': {
      namer.begin();
      const text = filled(step.shape);
      for (const [at, bytes] of (step.apart === undefined ? [text] : Array.from(text)).entries())
        yield {
          after: at === 0 ? 0 : (step.apart ?? 0),
          bytes,
          kind: 'raw',
          types: typesOf(bytes.slice(-1)),
        };
      return;
    }
    case 'report':
      yield { after: 0, bytes: step.bytes.slice(0, step.cut), kind: 'report' };
      if (step.cut < step.bytes.length)
        yield { after: step.apart, bytes: step.bytes.slice(step.cut), kind: 'report' };
      return;
    case 'paste': {
      const { shape, cut: place, apart } = step;
      const marker = `${ESC}[200~`;
      const isCut = place < marker.length;
      if (isCut) {
        yield { after: 0, bytes: marker.slice(0, place), kind: 'paste' };
        yield { after: apart, bytes: '', kind: 'paste' };
      }
      namer.begin();
      const bytes = `${marker}${filled(shape)}${ESC}[201~`;
      const from = isCut ? place : Math.min(place, bytes.length - 1);
      if (!isCut) yield { after: 0, bytes: bytes.slice(0, from), kind: 'paste' };
      yield { after: isCut ? 0 : apart, bytes: bytes.slice(from), kind: 'paste', types: 'on' };
    }
  }
}

/** What a key is for the text of the line: it goes on, or it ends. */
function typesOf(bytes: string): 'on' | 'end' | 'entered' {
  if (bytes === '\r' || bytes === '\n') return 'entered';
  return bytes < ' ' ? 'end' : 'on';
}

/** A word that was typed or pasted, and for whom: its place is the line, or the question that was asked then. */
interface Word {
  readonly text: string;
  /** Its end, which no other word has. */
  readonly tail: string;
  readonly to: 'line' | 'nobody' | { readonly asked: number };
}

/** What a person decided, and what came before it. */
interface Decision {
  readonly answer: Answer;
  readonly interrupt: Interrupt;
  readonly at: number;
  /** The how-manieth time that somebody was asked. */
  readonly asked: number;
  /** The last thing that was typed or pasted, whole. */
  readonly read: Read | undefined;
  readonly before: Read | undefined;
  /** Tokens and words that had been on the screen before it. */
  readonly seen: ReadonlySet<string>;
  /** Since when something of what was asked was on the screen without a break. */
  readonly shownSince: number;
  readonly resizedAt: number;
  /** It was given with the one before it, by one key for all. */
  readonly isGiven: boolean;
}

export interface Played {
  readonly decisions: readonly Decision[];
  readonly words: readonly Word[];
  /** Messages, and what waits or stands in the line in the end. */
  readonly texts: readonly string[];
  readonly reads: readonly Read[];
  readonly questions: number;
}

function isReject({ resolution }: Answer): boolean {
  return resolution.action === 'reject';
}

const TOKENS = /q\d+x\d+z|[A-Za-z]+w\d+z/gu;

function questionOf(number: number, kind: Ask): Interrupt {
  const source = (name: string, input: object) =>
    ({ type: 'tool', ref: toolRef(`r${number}`), name, input: input as never, raisedBy: 'tool' }) as const;
  if (kind === 'short' || kind === 'long') {
    const toAccount = tokensOf(number, kind === 'short' ? 1 : 60).join(' and then some words ');
    return openInterrupt(number, {
      source: source('transferMoney', { toAccount, amount: 1000 }),
      payload: true,
    });
  }
  const [token = ''] = tokensOf(number, 1);
  const input = { question: `What of ${token}?`, ...(kind === 'choice' && { choices: ['one', 'two'] }) };
  return openInterrupt(number, { kind: 'question', source: source('ask_question', input), payload: true });
}

/** A terminal, a line and questions, as the program puts them together, and a person in front of it. */
class World {
  readonly #terminal: TestTerminal;
  readonly #composer: Composer;
  readonly #channel: TerminalChannel;
  readonly #stop = new AbortController();
  readonly #decisions: Decision[] = [];
  readonly #words: Word[] = [];
  readonly #texts: string[] = [];
  readonly #reads: Read[] = [];
  readonly #seen = new Set<string>();
  /** Since when a question is on the screen, by the number in its tokens. */
  readonly #shownSince = new Map<string, number>();
  /** When a question was first written since the screen was looked at. */
  readonly #written = new Map<string, number>();
  #view: readonly string[] = [];
  /** What had been on the screen before the last read. */
  #before: {
    readonly seen: ReadonlySet<string>;
    readonly shownSince: ReadonlyMap<string, number>;
    readonly resizedAt: number;
  } = { seen: new Set(), shownSince: new Map(), resizedAt: Number.NEGATIVE_INFINITY };
  #resizedAt = Number.NEGATIVE_INFINITY;
  #questions = 0;
  #asked = 0;
  #isAsking = false;
  #isAside = false;
  /** When a text went on last, by whom it is for: at a question that is gone it is for nobody (D8). */
  readonly #typedAt = {
    line: Number.NEGATIVE_INFINITY,
    question: Number.NEGATIVE_INFINITY,
    nobody: Number.NEGATIVE_INFINITY,
  };
  #wroteUpTo = 0;
  /** For whom the text is that began last. */
  #to: Word['to'] = 'line';
  #inWord = false;

  constructor({ columns, rows }: Schedule) {
    const terminal = testTerminal({ columns, rows });
    const { device, clock, output } = terminal;
    const write = output.write.bind(output);
    output.write = (text: string) => {
      for (const [, number = ''] of text.matchAll(/q(\d+)x\d+z/gu))
        if (!this.#written.has(number)) this.#written.set(number, clock.now());
      return write(text);
    };
    this.#terminal = terminal;
    this.#composer = new Composer({ device, clock, theme: plainTheme });
    this.#channel = new TerminalChannel({
      device,
      clock,
      theme: plainTheme,
      actor: { type: 'person', name: 'ann', via: 'terminal' },
      aside: async (open, _how, signal) => {
        this.#isAside = true;
        try {
          return await this.#composer.putAside(open, signal);
        } finally {
          this.#isAside = false;
        }
      },
    });
  }

  async play({ runs, steps }: Schedule): Promise<Played> {
    const living = this.#live(runs).catch((thrown: unknown) => {
      if (!this.#stop.signal.aborted) throw thrown;
    });
    for (const one of steps) {
      await this.#wait(one.after);
      await this.#do(one);
    }
    await this.#wait(3000);
    this.#stop.abort(new Error('over'));
    await this.#terminal.settle();
    await living;
    this.#texts.push(...this.#composer.unsent);
    return {
      decisions: this.#decisions,
      words: this.#words,
      texts: this.#texts,
      reads: this.#reads,
      questions: this.#questions,
    };
  }

  /** The session: it works, asks, and takes a message, or goes on without one after a while. */
  async #live(runs: readonly Run[]): Promise<void> {
    const { clock, device } = this.#terminal;
    const { signal } = this.#stop;
    for (const { says, asks, goneAfter } of runs) {
      for (const ms of says) {
        await clock.sleep(ms, signal);
        device.screen.append(`the model says something${ms === 30 ? '' : '\n'}`);
      }
      await this.#ask(
        asks.map((kind) => questionOf((this.#questions += 1), kind)),
        goneAfter,
      );
      const idle = new AbortController();
      void clock.sleep(1500, signal).then(
        () => {
          idle.abort(new Error('a message from elsewhere'));
        },
        () => undefined,
      );
      const next = this.#composer.next(emptyState(), AbortSignal.any([signal, idle.signal]));
      const turn = await next.catch(() => undefined);
      signal.throwIfAborted();
      if (turn?.type === 'message') this.#texts.push(turn.text);
    }
    for (;;) {
      const turn = await this.#composer.next(emptyState(), signal);
      if (turn.type === 'end') return;
      this.#texts.push(turn.text);
    }
  }

  async #ask(all: readonly Interrupt[], goneAfter: number | undefined): Promise<void> {
    const { clock } = this.#terminal;
    const { signal } = this.#stop;
    let givenBy: Read | undefined;
    for (let open = all; open.length > 0;) {
      const gone = new AbortController();
      if (goneAfter !== undefined && open.length === all.length)
        void clock.sleep(goneAfter, signal).then(
          () => {
            gone.abort(new HitlError('ALREADY_ANSWERED', 'answered elsewhere'));
          },
          () => undefined,
        );
      this.#asked += 1;
      this.#isAsking = true;
      this.#typedAt.question = Number.NEGATIVE_INFINITY;
      const result = await this.#channel.ask(open, bankState(), AbortSignal.any([signal, gone.signal]));
      this.#isAsking = false;
      signal.throwIfAborted();
      if (result.type === 'left-open') {
        if (!this.#isAside) this.#typedAt.nobody = this.#typedAt.question;
        open = open.slice(1);
        continue;
      }
      const { answer } = result;
      const interrupt = open.find(({ id }) => id === answer.id);
      if (interrupt === undefined) throw new Error('an answer to nothing');
      const keys = this.#reads.filter(({ types, bytes }) => types !== undefined && bytes !== KEYS.escape);
      const read = keys.at(-1);
      this.#decisions.push({
        answer,
        interrupt,
        at: clock.now(),
        asked: this.#asked,
        read,
        before: keys.at(-2),
        seen: this.#before.seen,
        shownSince: Math.min(
          ...open.map(({ id }) => this.#before.shownSince.get(id.slice(1)) ?? Number.POSITIVE_INFINITY),
        ),
        resizedAt: this.#before.resizedAt,
        isGiven: givenBy !== undefined && givenBy === read && (isReject(answer) || read.bytes === 'Y'),
      });
      givenBy = read;
      open = open.filter(({ id }) => id !== answer.id);
    }
  }

  async #wait(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= LOOK_MS) {
      await this.#terminal.clock.advance(Math.min(left, LOOK_MS));
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    const terminal = this.#terminal;
    await terminal.settle();
    const { length } = terminal.written();
    if (length === this.#wroteUpTo) return;
    this.#wroteUpTo = length;
    this.#view = await terminal.view();
    const tokens = this.#view.join('\n').match(TOKENS) ?? [];
    for (const token of tokens) this.#seen.add(token);
    const shown = new Set(tokens.flatMap((token) => /^q(\d+)x/u.exec(token)?.[1] ?? []));
    for (const number of shown)
      if (!this.#shownSince.has(number))
        this.#shownSince.set(number, this.#written.get(number) ?? terminal.clock.now());
    for (const number of this.#shownSince.keys()) if (!shown.has(number)) this.#shownSince.delete(number);
    this.#written.clear();
  }

  /** Who hears what is typed now: the line, as long as no question is asked, or a text in it goes on (D6, D8). */
  get #focus(): Word['to'] {
    const now = this.#terminal.clock.now();
    if (now - this.#typedAt.line < TYPING_MS) return 'line';
    if (now - this.#typedAt.nobody < TYPING_MS) return 'nobody';
    return this.#asker;
  }

  /** Who has the terminal. */
  get #asker(): 'line' | { readonly asked: number } {
    return !this.#isAsking || this.#isAside ? 'line' : { asked: this.#asked };
  }

  async #send({ bytes, kind, types }: Piece): Promise<void> {
    await this.#look();
    const at = this.#terminal.clock.now();
    // A paste is for whoever heard its marker, however long the rest takes.
    // What is no part of a text goes on in none.
    const isPart = types !== 'end' || bytes === KEYS.tab;
    const to = kind === 'paste' ? this.#to : isPart ? this.#focus : this.#asker;
    const isLine = to === 'line';
    const isWord = kind === 'letter' || (kind === 'key' && this.#inWord);
    if (types !== undefined && bytes !== KEYS.escape)
      this.#before = {
        seen: new Set(this.#seen),
        shownSince: new Map(this.#shownSince),
        resizedAt: this.#resizedAt,
      };
    this.#reads.push({
      at,
      bytes,
      kind,
      ...(types !== undefined && { types }),
      ...(isWord && { word: this.#words.length - 1 }),
    });
    if (isLine && bytes === KEYS.escape && this.#view.some((row) => row.includes(CLEARS))) this.#putBy();
    // What comes at once with Enter belongs to it: a paste without its markers.
    const past = Number.NEGATIVE_INFINITY;
    const until = { on: at, end: past, entered: at - TYPING_MS + TOGETHER_MS } as const;
    if (types !== undefined) {
      const isAsked = typeof to === 'object' && this.#isAsking && !this.#isAside && to.asked === this.#asked;
      const place = isLine ? 'line' : isAsked ? 'question' : 'nobody';
      // Tab goes on in a text, where one is being typed.
      const isOn = bytes === KEYS.tab && at - this.#typedAt[place] < TYPING_MS;
      this.#typedAt[place] = isOn ? at : until[types];
      if (!isPart) this.#typedAt.nobody = past;
    }
    await this.#terminal.send(bytes);
    await this.#look();
  }

  /** The line was cleared on purpose; ↑ brings it back. */
  #putBy(): void {
    this.#words.forEach((word, at) => {
      if (word.to === 'line') this.#words[at] = { ...word, to: 'nobody' };
    });
  }

  async #do(one: Step): Promise<void> {
    if (one.type === 'size') {
      await this.#look();
      await this.#terminal.resize(one.columns, one.rows);
      this.#resizedAt = this.#terminal.clock.now();
      await this.#look();
      return;
    }
    const last = this.#reads.at(-1);
    // A letter so soon after Esc is another key: Alt and that letter.
    if (one.type !== 'key' && last?.bytes === KEYS.escape && this.#terminal.clock.now() - last.at < ESCAPE_MS)
      await this.#wait(ESCAPE_MS);
    this.#inWord = one.type === 'word';
    const namer: Namer = {
      begin: () => {
        this.#to = this.#focus;
      },
      word: (start) => {
        const tail = `w${this.#words.length}z`;
        this.#words.push({ text: `${start}${tail}`, tail, to: this.#to });
        return `${start}${tail}`;
      },
    };
    for (const piece of piecesOf(one, namer)) {
      await this.#wait(piece.after);
      if (piece.bytes !== '') await this.#send(piece);
    }
  }
}

/** Plays a schedule, and gives what came of it. */
export function playSchedule(schedule: Schedule): Promise<Played> {
  return new World(schedule).play(schedule);
}

/** What must not be; none where all laws hold. */
export function brokenLaws({ decisions, words, texts }: Played): readonly string[] {
  return [
    ...decisions.flatMap(brokenByKeys),
    ...decisions.flatMap((decision) => brokenByWords(decision, words)),
    ...reused(decisions),
    ...lostWords(words, texts, new Set(decisions.map(({ read }) => read?.word))),
  ];
}

function brokenByKeys({
  answer,
  interrupt,
  at,
  read,
  before,
  resizedAt,
  ...decision
}: Decision): readonly string[] {
  const { action } = answer.resolution;
  const name = `${action} of ${answer.id}`;
  if (read === undefined) return [`${name}: no key was pressed`];
  const isLone = read.kind === 'key' && /^[^\n]$/su.test(read.bytes);
  const broken = [
    ...(isLone ? [] : [`${name}: by ${read.kind} ${JSON.stringify(read.bytes)}`]),
    ...(interrupt.digest === answer.digest ? [] : [`${name}: another digest`]),
  ];
  if (action !== 'restart') return broken;
  const unseen = shownWordsOf(answer, interrupt).filter((token) => !decision.seen.has(token));
  const shownMs = read.at - decision.shownSince;
  const isTogether = before !== undefined && read.at - before.at < TOGETHER_MS;
  // Enter sends words: what it approves was looked at when they were asked for.
  const isKey = read.bytes !== KEYS.enter;
  return [
    ...broken,
    ...(unseen.length === 0 ? [] : [`${name}: not seen ${unseen.join(' ')}`]),
    ...(decision.isGiven || shownMs >= DEAF_MS ? [] : [`${name}: ${shownMs} ms after it was drawn`]),
    ...(isKey && read.at - resizedAt < DEAF_MS ? [`${name}: ${read.at - resizedAt} ms after a resize`] : []),
    ...(isTogether ? [`${name}: at once with ${before.kind} ${JSON.stringify(before.bytes)}`] : []),
    ...(isKey && at - read.at !== TOGETHER_MS ? [`${name}: ${at - read.at} ms after the last key`] : []),
  ];
}

/** The words of a question that have to have been on the screen: those of the call as it runs. */
function shownWordsOf({ resolution }: Answer, interrupt: Interrupt): readonly string[] {
  const input =
    resolution.action === 'restart' && resolution.input !== undefined
      ? resolution.input
      : interrupt.source.type === 'tool'
        ? interrupt.source.input
        : null;
  return JSON.stringify(input).match(TOKENS) ?? [];
}

/** Words in a decision that were typed for somebody else. */
function brokenByWords({ answer, asked, isGiven }: Decision, words: readonly Word[]): readonly string[] {
  if (isGiven) return [];
  const told = JSON.stringify(answer.resolution);
  return words
    .filter(({ tail, to }) => told.includes(tail) && !(typeof to === 'object' && to.asked === asked))
    .map(({ text, to }) => `${answer.id}: “${text}” was typed for ${JSON.stringify(to)}, not for ${asked}`);
}

/** Keys that decided twice, but for one for all. */
function reused(decisions: readonly Decision[]): readonly string[] {
  const own = decisions.filter(({ isGiven }) => !isGiven);
  return own
    .filter(({ read }, at) => own.findIndex((other) => other.read === read) !== at)
    .map(({ answer, read }) => `${answer.id}: ${JSON.stringify(read)} decided another one too`);
}

/** Words of the line that did not arrive, or twice; and words at a question of which some is in the line, unless they answered it. */
function lostWords(
  words: readonly Word[],
  texts: readonly string[],
  answering: ReadonlySet<number | undefined>,
): readonly string[] {
  const all = texts.join('\u0000');
  return words.flatMap(({ text, tail, to }, at) => {
    if (to === 'nobody') return [];
    if (to !== 'line')
      return all.includes(tail) && !answering.has(at)
        ? [`“${text}” was typed at a question, and is in the line`]
        : [];
    return all.split(text).length === 2
      ? []
      : [`“${text}” is in the texts ${all.split(text).length - 1} times`];
  });
}

/** How many calls were approved. */
export function approvals({ decisions }: Played): number {
  return decisions.filter(({ answer }) => answer.resolution.action === 'restart').length;
}
