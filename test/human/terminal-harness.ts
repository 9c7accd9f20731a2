import { EventEmitter } from 'node:events';

import { createTwoFilesPatch } from 'diff';
import xterm from '@xterm/headless';

import type { Interrupt, InterruptDraft, RunState, ToolDescriptor } from '../../src/core/index.js';
import { emptyState, interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';
import { TerminalDevice } from '../../src/human/device/device.js';
import { plainTheme } from '../../src/human/device/theme.js';
import type { FakeClock } from '../../src/testing/index.js';
import { fakeClock } from '../../src/testing/index.js';

/** A terminal for tests: keys go in by hand, what is drawn is read back from a real screen model. */
export interface TestTerminal {
  readonly device: TerminalDevice;
  /** The stream that others write to as well. */
  readonly output: { write(text: string): unknown };
  readonly clock: FakeClock;
  readonly theme: typeof plainTheme;
  /** Everything that was written, as it was written. */
  readonly written: () => string;
  /** True while raw mode is on. */
  readonly isRaw: () => boolean;
  /** Bytes at once, as one read. */
  send(text: string): Promise<void>;
  /** Reads of bytes, one after the other. */
  sendBytes(...reads: readonly Uint8Array[]): Promise<void>;
  /** From now on modes cannot be set: EIO. */
  failModes(): void;
  /** Waits until a prompt is armed. */
  arm(): Promise<void>;
  /** Waits until a prompt is armed, then presses one key. */
  press(...keys: string[]): Promise<void>;
  /** Types a text as a person does, a character at a time. */
  type(text: string): Promise<void>;
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** The rows of the screen and above it, without the empty ones at the end. */
  screen(): Promise<string>;
  /** The rows that a person sees now. */
  view(): Promise<readonly string[]>;
  /** Lets everything run that needs no time. */
  settle(): Promise<void>;
  /** SIGCONT. */
  continue(): Promise<void>;
  stops: number;
  close(): void;
}

export const KEYS = {
  enter: '\r',
  escape: '\u001b',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  end: '\u001b[F',
  backspace: '\u007f',
  tab: '\t',
  shiftTab: '\u001b[Z',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlL: '\u000c',
  ctrlU: '\u0015',
  ctrlZ: '\u001a',
} as const;

class FakeInput extends EventEmitter {
  raw = false;
  flowing = false;
  failing = false;

  setRawMode(on: boolean): void {
    if (this.failing) throw new Error('setRawMode EIO');
    this.raw = on;
  }

  resume(): void {
    this.flowing = true;
  }

  pause(): void {
    this.flowing = false;
  }
}

class FakeOutput extends EventEmitter {
  text = '';
  columns: number;
  rows: number;
  readonly #screen: InstanceType<typeof xterm.Terminal>;

  constructor(screen: InstanceType<typeof xterm.Terminal>) {
    super();
    this.#screen = screen;
    this.columns = screen.cols;
    this.rows = screen.rows;
  }

  write(text: string): void {
    this.text += text;
    this.#screen.write(text);
  }
}

/** A terminal on its own clock. */
export function testTerminal(
  size: { columns: number; rows: number } = { columns: 80, rows: 24 },
): TestTerminal {
  const screen = new xterm.Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true });
  const input = new FakeInput();
  const output = new FakeOutput(screen);
  const clock = fakeClock();
  const continued: (() => void)[] = [];
  const flush = () =>
    new Promise<void>((resolve) => {
      screen.write('', resolve);
    });
  const settle = async () => {
    for (let round = 0; round < 8; round += 1)
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
  };
  const terminal: TestTerminal = {
    clock,
    theme: plainTheme,
    output,
    stops: 0,
    device: new TerminalDevice({
      input,
      output,
      clock,
      signals: {
        onContinue: (listener) => {
          continued.push(listener);
        },
        stop: () => {
          terminal.stops += 1;
        },
      },
    }),
    written: () => output.text,
    isRaw: () => input.raw,
    settle,
    async send(text) {
      await settle();
      input.emit('data', Buffer.from(text));
      await settle();
    },
    async sendBytes(...reads) {
      await settle();
      for (const read of reads) input.emit('data', read);
      await settle();
    },
    failModes() {
      input.failing = true;
    },
    async arm() {
      await settle();
      await clock.advance(2000);
    },
    async press(...keys) {
      for (const key of keys) {
        await terminal.arm();
        await terminal.send(key);
        await clock.advance(100);
        await settle();
      }
    },
    async type(text) {
      for (const character of text) {
        await terminal.send(character);
        await clock.advance(80);
      }
      await settle();
    },
    async paste(text) {
      await terminal.send(`\u001b[200~${text}\u001b[201~`);
    },
    async resize(columns, rows) {
      await flush();
      screen.resize(columns, rows);
      output.columns = columns;
      output.rows = rows;
      output.emit('resize');
      await settle();
    },
    async screen() {
      await settle();
      await flush();
      const { active } = screen.buffer;
      const rows: string[] = [];
      for (let row = 0; row < active.length; row += 1)
        rows.push(active.getLine(row)?.translateToString(true) ?? '');
      return rows.join('\n').trimEnd();
    },
    async view() {
      await flush();
      const { active } = screen.buffer;
      return Array.from(
        { length: screen.rows },
        (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
      );
    },
    async continue() {
      for (const listener of continued) listener();
      await settle();
    },
    close() {
      input.failing = true;
      input.emit('close');
    },
  };
  return terminal;
}

/** The tool of the bank example, as a session knows it. */
export const transferMoney: ToolDescriptor = {
  name: 'transferMoney',
  description: 'moves money',
  origin: 'module ./bank.js',
  effect: 'once',
  restartable: true,
  inputSchema: {
    type: 'object',
    properties: {
      toAccount: { type: 'string' },
      amount: { type: 'number', minimum: 1 },
    },
    required: ['toAccount', 'amount'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] },
};

/** A session that knows the bank's tool. */
export function bankState(): RunState {
  return { ...emptyState(), agent: { model: 'demo', tools: [transferMoney] } };
}

/** An open interrupt of the bank's tool, changed where a test needs it. */
export function openInterrupt(number = 1, changes: Partial<InterruptDraft> = {}): Interrupt {
  const draft: InterruptDraft = {
    kind: 'confirmation',
    source: {
      type: 'tool',
      ref: toolRef(`r${number}`),
      name: 'transferMoney',
      input: { toAccount: 'ABC123', amount: 200 },
      raisedBy: 'tool',
    },
    payload: { reason: 'the amount is over 100' },
    ...changes,
  };
  return makeInterrupt(draft, {
    id: interruptId(`i${number}`),
    path: ROOT_PATH,
    raisedAt: '2026-01-01T00:00:00Z',
  });
}

/** An open question, with the schema of its answer. */
export function openQuestion(input: object, answerSchema?: object): Interrupt {
  return openInterrupt(1, {
    kind: 'question',
    source: {
      type: 'tool',
      ref: toolRef('q1'),
      name: 'ask_question',
      input: input as never,
      raisedBy: 'tool',
    },
    payload: true,
    ...(answerSchema && { answerSchema: answerSchema as never }),
  });
}

/** Words that stand nowhere else, by the number of what they are in. */
export function tokensOf(number: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `q${number}x${at}z`);
}

/** A session that knows the product's own tool for edits, too. */
export function editState(): RunState {
  const edits: ToolDescriptor = {
    name: 'edit_file',
    description: 'edits a file',
    origin: 'built in',
    effect: 'once',
    restartable: true,
    inputSchema: { type: 'object', properties: { path: {}, oldText: {}, newText: {} } },
  };
  return { ...emptyState(), agent: { model: 'demo', tools: [transferMoney, edits] } };
}

/** A change of a file from these lines to those, which waits for its approval. */
export function changeOf(
  before: readonly string[],
  after: readonly string[],
  changes: Partial<InterruptDraft> & { readonly warnings?: readonly string[] } = {},
): Interrupt {
  const { warnings, ...draft } = changes;
  const [oldText, newText] = [before, after].map((lines) => lines.map((line) => `${line}\n`).join(''));
  const patch = createTwoFilesPatch(
    'a/a.txt',
    'b/a.txt',
    oldText ?? '',
    newText ?? '',
    undefined,
    undefined,
    {
      context: 3,
    },
  );
  const input = { path: 'a.txt', oldText: oldText ?? '', newText: newText ?? '' };
  return openInterrupt(9, {
    source: { type: 'tool', ref: toolRef('r9'), name: 'edit_file', input, raisedBy: 'approval' },
    payload: {
      facts: { path: '/home/ann/a.txt', change: 'replaces 3 bytes' },
      diff: patch.replace(/^=+\n/, ''),
      ...(warnings && { warnings }),
    },
    ...draft,
  });
}
