import { describe, expect, test } from 'vitest';

import type {
  Actor,
  AskResult,
  Interrupt,
  InterruptDraft,
  JsonObject,
  SessionSize,
  ToolRule,
} from '../../src/core/index.js';
import { HitlError, noSandbox, SANDBOX_OFF, toolRef } from '../../src/core/index.js';
import type { TerminalChannelOptions } from '../../src/human/terminal/terminal.js';
import { TerminalChannel } from '../../src/human/terminal/terminal.js';
import { plainTheme } from '../../src/human/device/theme.js';
import { areAnsweredTogether, areRejectedTogether } from '../../src/human/question/together.js';
import { bankState, KEYS, openInterrupt, openQuestion, testTerminal } from './terminal-harness.js';

const never = new AbortController().signal;
const actor: Actor = { type: 'person', name: 'ann', via: 'terminal' };

function asking(
  open: readonly Interrupt[],
  options: Partial<TerminalChannelOptions> = {},
  terminal = testTerminal({ columns: 100, rows: 30 }),
) {
  const { device, clock, theme } = terminal;
  const channel = new TerminalChannel({ device, clock, theme, actor, ...options });
  const ask = (still = open, signal = never) => channel.ask(still, bankState(), signal);
  return { terminal, channel, ask };
}

/** A transfer that waits, with an input of its own. */
function transferOf(input: JsonObject, changes: Partial<InterruptDraft> = {}): Interrupt {
  const source = {
    type: 'tool',
    ref: toolRef('r1'),
    name: 'transferMoney',
    input,
    raisedBy: 'tool',
  } as const;
  return openInterrupt(1, { source, ...changes });
}

function answerTo(interrupt: Interrupt, resolution: object, always?: SessionSize): AskResult {
  const answer = { id: interrupt.id, digest: interrupt.digest, resolution, by: actor } as never;
  return { type: 'answered', answer, ...(always && { always }) };
}

/** Presses keys at one interrupt and gives what was answered. */
async function answered(interrupt: Interrupt, ...keys: readonly string[]) {
  const { terminal, ask } = asking([interrupt]);
  const result = ask();
  await terminal.press(...keys);
  return { result: await result, screen: await terminal.screen(), isRaw: terminal.isRaw() };
}

const read = (result: AskResult) => (result.type === 'answered' ? result.answer.resolution : result);

describe('a confirmation at a terminal', () => {
  test('shows what runs, and every key, with nothing chosen', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.settle();
    expect(await terminal.screen()).toBe(
      [
        '┃ transferMoney                                                                    module ./bank.js',
        '┃   toAccount: ABC123',
        '┃   amount:    200',
        '┃ Reason: the amount is over 100',
        'y approve · Tab yes, and… · e edit · n reject · a provide result · w always… · c cancel · ? more',
        'Approve this call?',
      ].join('\n'),
    );
    await terminal.press('c');
    await result;
  });

  test('G11: `y` approves exactly what was shown, and the question folds to one line', async () => {
    const interrupt = openInterrupt();
    const { result, screen, isRaw } = await answered(interrupt, 'y');
    expect(result).toEqual(answerTo(interrupt, { action: 'restart' }));
    expect(screen).toBe('✓ you approved  transferMoney  ABC123, 200');
    expect(isRaw).toBe(false);
  });

  test('`w` offers its sizes, says what each allows and never does, and approves the one that is chosen', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.press('w');
    expect(await terminal.screen()).toBe(
      [
        '┃ transferMoney                                                                    module ./bank.js',
        '┃   toAccount: ABC123',
        '┃   amount:    200',
        '┃ Reason: the amount is over 100',
        'Don’t ask again in this session for:',
        'c  exactly this call',
        '   still asks: any change of input, details or warnings',
        't  every call of transferMoney, with any input; press t twice',
        '   ask and deny rules still apply',
        'Approve, and always allow:',
      ].join('\n'),
    );
    await terminal.press('c');
    expect(await result).toEqual(answerTo(openInterrupt(), { action: 'restart' }, 'call'));
    expect(await terminal.screen()).toContain(
      'approved  transferMoney  ABC123, 200, and always in this session: exactly this call',
    );
  });

  test('on a low screen `w` has a screen of its own, and its keys count there once all of it was seen', async () => {
    const terminal = testTerminal({ columns: 40, rows: 7 });
    const { ask } = asking([openInterrupt()], {}, terminal);
    const result = ask();
    await terminal.press('w', 'c');
    expect(await terminal.screen()).toContain('Don’t ask again in this session for:');
    await terminal.press(' ', 'c');
    expect(await result).toEqual(answerTo(openInterrupt(), { action: 'restart' }, 'call'));
  });

  test('on a low screen the keys stand in one row; the others work, and `?` tells them', async () => {
    const terminal = testTerminal({ columns: 40, rows: 12 });
    const { ask } = asking([openInterrupt()], {}, terminal);
    const result = ask();
    await terminal.settle();
    expect(await terminal.screen()).toMatch(
      /\ny approve · e edit · n reject · \? more\nApprove this call\?$/,
    );
    await terminal.press('c');
    expect(await result).toEqual(answerTo(openInterrupt(), { action: 'cancel' }));
  });

  test('Esc takes `w` back, and the whole tool takes its key twice', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.press('w', KEYS.escape);
    expect(await terminal.screen()).not.toContain('ask again in this session');
    await terminal.press('w', 't');
    expect(await terminal.screen()).toContain('press t again');
    await terminal.press('t');
    expect(await result).toEqual(answerTo(openInterrupt(), { action: 'restart' }, 'tool'));
  });

  test('`w` and `f` keep what is approved as a rule of the person, and add none to the session', async () => {
    const kept: ToolRule[] = [];
    const keep = {
      place: { folder: '/work', home: '/home/ann' },
      rule: (rule: ToolRule) => Promise.resolve(void kept.push(rule)),
    };
    const { terminal, ask } = asking([openInterrupt()], { keep });
    const result = ask();
    await terminal.press('w', 'f', 'c');
    expect(await result).toEqual(answerTo(openInterrupt(), { action: 'restart' }));
    expect(kept.map(({ text }) => text)).toEqual(['allow transferMoney {"toAccount":"ABC123","amount":200}']);
    expect(await terminal.screen()).toContain('and always in this folder: exactly this call');
  });

  test('a rule that cannot be kept approves nothing, and the person is told', async () => {
    const keep = {
      place: { folder: '/work', home: '/home/ann' },
      rule: () => Promise.reject(new Error('the disk is full')),
    };
    const { terminal, ask } = asking([openInterrupt()], { keep });
    const result = ask();
    await terminal.press('w', 'f', 'c');
    expect(await terminal.screen()).toContain('the disk is full');
    await terminal.press('n', KEYS.enter);
    expect(read(await result)).toMatchObject({ action: 'reject' });
  });

  test('`w` is not there where the caller does not offer it', async () => {
    const { terminal, ask } = asking([openInterrupt()], { offersAlways: () => false });
    const result = ask();
    await terminal.press('w');
    expect(await terminal.screen()).toContain('Press y, e or n (? for more)');
    await terminal.press('n', KEYS.enter);
    await result;
  });

  test('G30: Enter, Space, Esc, early keys and pastes never approve', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.send('y');
    await terminal.press(KEYS.enter, ' ', KEYS.escape, KEYS.enter);
    await terminal.paste('y\ny\n');
    await terminal.clock.advance(3000);
    await terminal.send('yyyy');
    await terminal.press('c');
    expect(read(await result)).toEqual({ action: 'cancel' });
  });

  test('`n` rejects, with a reason or without', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.press('n');
    await terminal.type('use the savings account');
    await terminal.press(KEYS.enter);
    expect(read(await result)).toEqual({ action: 'reject', reason: 'use the savings account' });
    expect(await terminal.screen()).toContain(
      '✗ you rejected  transferMoney  ABC123, 200  “use the savings account”',
    );
    const { result: bare } = await answered(openInterrupt(), 'n', KEYS.enter);
    expect(read(bare)).toEqual({ action: 'reject' });
  });

  test('G30: a reason that comes with its Enter in one read is sent by an Enter of its own', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.press('n', 'no\r');
    expect(await terminal.screen()).toContain('Not sent: Enter arrived with other keys. Press Enter again.');
    await terminal.press(KEYS.enter);
    expect(read(await result)).toEqual({ action: 'reject', reason: 'no' });
  });

  test('Esc at the reason goes back to the keys', async () => {
    const { result } = await answered(openInterrupt(), 'n', KEYS.escape, 'y');
    expect(read(result)).toEqual({ action: 'restart' });
  });

  test('says that Enter rejects without a reason, and keeps what was typed through Esc', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.press('n');
    expect((await terminal.screen()).split('\n').slice(-2)).toEqual([
      'why not: ',
      'Enter reject · optional message to the model · Esc back',
    ]);
    await terminal.type('too much');
    await terminal.press(KEYS.escape, 'n');
    expect(await terminal.screen()).toContain('why not: too much');
    await terminal.press(KEYS.enter);
    expect(read(await result)).toEqual({ action: 'reject', reason: 'too much' });
  });

  test('keeps the words of a yes through Esc, apart from those of a no', async () => {
    const { terminal, ask } = asking([transferOf({ amount: 1 }, { kind: 'confirmation' })]);
    void ask();
    await terminal.press(KEYS.tab);
    await terminal.type('thanks');
    await terminal.press(KEYS.escape, 'n');
    expect(await terminal.screen()).not.toContain('thanks');
    await terminal.press(KEYS.escape, KEYS.tab);
    expect(await terminal.screen()).toContain('yes, and: thanks');
  });

  test('`e` edits, shows the change and runs with it', async () => {
    const { result, screen } = await answered(
      openInterrupt(),
      'e',
      KEYS.enter,
      KEYS.backspace,
      KEYS.enter,
      'y',
    );
    expect(read(result)).toEqual({ action: 'restart', input: { toAccount: 'ABC123', amount: 20 } });
    expect(screen).toContain(
      '✓ you approved  transferMoney  ABC123, 20  (with your change: amount 200 → 20)',
    );
  });

  test('an edit that is given up changes nothing', async () => {
    const { result, screen } = await answered(openInterrupt(), 'e', 'X', KEYS.enter, KEYS.escape, 'y');
    expect(read(result)).toEqual({ action: 'restart' });
    expect(screen).toBe('✓ you approved  transferMoney  ABC123, 200');
  });

  test.for([
    ['in the form', ['X', KEYS.escape]],
    ['at the changed question', ['X', KEYS.enter, KEYS.enter, KEYS.escape]],
    ['in the form of the changed question', ['X', KEYS.enter, KEYS.enter, 'e', KEYS.escape]],
  ] as const)('says that a change is set aside by Esc %s, and brings it back', async ([, keys]) => {
    const words = 'This is the original call. Press e to bring your change back.';
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.press('e', ...keys);
    expect((await terminal.screen()).split('\n').filter((row) => row === words)).toEqual([words]);
    await terminal.press('e');
    expect(await terminal.screen()).toContain('▸ toAccount  ABC123X');
    await terminal.press(KEYS.enter, KEYS.enter, 'y');
    expect(read(await result)).toEqual({
      action: 'restart',
      input: { toAccount: 'ABC123X', amount: 200 },
    });
  });

  test('says nothing of a form that was left unchanged', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    void ask();
    await terminal.press('e', KEYS.tab, KEYS.escape);
    expect(await terminal.screen()).not.toContain('original call');
  });

  test('`e` without a change is a plain approval, after a key', async () => {
    const { result } = await answered(openInterrupt(), 'e', KEYS.enter, KEYS.enter, 'y');
    expect(read(result)).toEqual({ action: 'restart' });
  });

  test('`a` answers in its place, in the shape of the tool’s output', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.press('a');
    await terminal.type('done');
    await terminal.press(KEYS.enter, 'y');
    expect(read(await result)).toEqual({ action: 'respond', output: { status: 'done' } });
    expect(await terminal.screen()).toContain(
      '✓ you provided the result  transferMoney  ABC123, 200  status done',
    );
  });

  test('`?` explains every key, `v` shows the whole', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.press('?');
    expect(await terminal.screen()).toContain('n  reject: don’t run it, and tell the model why');
    await terminal.press('v');
    expect((await terminal.screen()).split('\n').slice(3, 5)).toEqual([
      '┃ Reason: the amount is over 100',
      'The full request is on the screen.',
    ]);
    await terminal.press('y');
    expect(read(await result)).toEqual({ action: 'restart' });
    const long = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const more = asking([transferOf({ toAccount: long, amount: 1 })]);
    void more.ask();
    await more.terminal.press('v');
    expect(await more.terminal.screen()).toMatch(
      /^┃ transferMoney +module[^]*\n1–29 of 65 · Space next page · q back/,
    );
  });

  test('a second `?` closes what the first one said, and it names the keys that answer nothing', async () => {
    const { terminal, ask } = asking([openInterrupt()], { aside: () => Promise.resolve('leave') });
    const result = ask();
    await terminal.arm();
    const before = await terminal.screen();
    await terminal.press('?');
    expect((await terminal.screen()).split('\n').filter((row) => /^(Esc|Ctrl|Shift|↑)/u.test(row))).toEqual([
      'Esc  answer later: Tab at the prompt asks again',
      '↑ ↓ Space PgUp PgDn Home End  scroll the question',
      'Ctrl-O  full output: expand the folded rows above',
      'Shift-Tab  change the mode (only at the prompt)',
    ]);
    await terminal.press('?');
    expect(await terminal.screen()).toBe(before);
    await terminal.press('?', 'y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test('Shift-Tab says that the mode does not change here', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    void ask();
    await terminal.press(KEYS.shiftTab);
    expect(await terminal.screen()).toContain(
      '\nThe mode can’t be changed while a question is open. Answer it first.\n',
    );
  });

  test('`y` reads on while rows are left to read, and approves after a pause', async () => {
    const text = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const { terminal, ask } = asking([transferOf({ toAccount: text, amount: 1 })]);
    const result = ask();
    await terminal.settle();
    expect(await terminal.screen()).toContain('\ny read on · Tab yes, and… ');
    await terminal.press(KEYS.end);
    expect(await terminal.screen()).toMatch(/┆ line 59\n[^]* left to read [^]*\ny read on · /);
    await terminal.press('y', 'y');
    const last = await terminal.screen();
    expect(last).not.toContain('left to read');
    expect(last).toContain('\ny approve · ');
    await terminal.press('n', KEYS.escape);
    await terminal.press('y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test('G30: a `y` soon after one that read on approves nothing', async () => {
    const text = Array.from({ length: 35 }, (_, index) => `line ${index}`).join('\n');
    const { terminal, ask } = asking([transferOf({ toAccount: text, amount: 1 })]);
    const result = ask();
    await terminal.press('y');
    expect(await terminal.screen()).toContain('\ny approve · ');
    await terminal.clock.advance(300);
    await terminal.send('y');
    await terminal.clock.advance(60);
    expect(await terminal.screen()).toContain('Ignored: too soon. Pause, then press a key.');
    await terminal.press('y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test('what does not fit the screen scrolls where it stands, and is approved from there once all of it was seen', async () => {
    const text = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const { terminal, ask } = asking([transferOf({ toAccount: text, amount: 1 })]);
    const result = ask();
    await terminal.press(KEYS.tab);
    const first = await terminal.screen();
    expect(first).toContain('┃     ┆ line 0\n');
    expect(first).toMatch(/\n┃ 1–\d+ of 64 · \d+ rows left to read · ↑ ↓ Space scroll\n/);
    expect(first).toMatch(/\n\d+ rows left to read · Space shows more\n/);
    expect(first.split('\n').length).toBeLessThanOrEqual(30);
    await terminal.press(KEYS.end, KEYS.tab);
    expect(await terminal.screen()).toContain('┃     ┆ line 59\n');
    expect(await terminal.screen()).toContain('rows left to read');
    await terminal.press(' ', ' ');
    const last = await terminal.screen();
    expect(last).toContain('┃     ┆ line 59\n┃   amount:    1\n');
    expect(last).not.toContain('left to read');
    await terminal.press('y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test.for([
    [80, 2],
    [80, 1],
    [9, 24],
    [4, 12],
    [12, 3],
  ] as const)(
    'on a screen of %i columns and %i rows nothing is approved that it has no room for (A3)',
    async ([columns, rows]) => {
      const { terminal, ask } = asking([openInterrupt()], {}, testTerminal({ columns, rows }));
      const result = ask();
      await terminal.press('y', ' ', ' ', 'y', 'v', ' ', ' ', 'y');
      expect(terminal.written()).not.toContain('✓');
      await terminal.press(KEYS.escape);
      await terminal.resize(80, 24);
      await terminal.press('y');
      expect(read(await result)).toEqual({ action: 'restart' });
    },
  );

  test('a screen that becomes too small for a question takes the key that approves away, until it is larger (A3)', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.arm();
    await terminal.resize(80, 2);
    await terminal.press('y');
    await terminal.resize(80, 24);
    expect(await terminal.screen()).toContain('Terminal too small for this question. Enlarge it.');
    await terminal.press('y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test.for(['before', 'after'])(
    'a key just %s a change of size was meant for what stood there before (A3)',
    async (when) => {
      const { terminal, ask } = asking([openInterrupt()]);
      const result = ask();
      await terminal.arm();
      if (when === 'before') await terminal.send('y');
      await terminal.clock.advance(10);
      await terminal.resize(60, 20);
      if (when === 'after') await terminal.send('y');
      await terminal.clock.advance(100);
      expect(await terminal.screen()).toContain('Ignored: too soon');
      await terminal.press('y');
      expect(read(await result)).toEqual({ action: 'restart' });
    },
  );

  test('what does not fit the screen can be approved after the whole was viewed', async () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    const { terminal, ask } = asking([transferOf({ toAccount: text, amount: 1 })]);
    const result = ask();
    await terminal.press('v', 'q', 'y');
    expect(await terminal.screen()).toContain('rows left to read');
    await terminal.press('v', ' ', ' ', ' ', ' ', 'q', 'y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test('G30: the keys of the question decide in the whole view once all of it was seen, and only on purpose', async () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    const { terminal, ask } = asking([transferOf({ toAccount: text, amount: 1 })]);
    const result = ask();
    await terminal.press('v');
    await terminal.send(KEYS.end);
    expect(await terminal.screen()).toMatch(/\n\d+–\d+ of \d+ · Space next page · q back · ↑↓ PgUp PgDn$/);
    await terminal.press('y', '\u001b[H', ' ', ' ', ' ', ' ');
    expect(await terminal.screen()).toMatch(
      /\n\d+–\d+ of \d+ · q back · y approve · e edit · n reject · [^]*$/,
    );
    await terminal.paste('y');
    await terminal.send('yy');
    expect(await terminal.screen()).toMatch(/ · q back · y approve/);
    await terminal.press('y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test('a letter that moves the whole view decides nothing in it', async () => {
    const text = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
    const { terminal, ask } = asking([transferOf({ toAccount: text, amount: 1 })]);
    const result = ask();
    await terminal.press('v', ' ', ' ', 'j', 'k', 'b', 'x', KEYS.enter);
    expect(await terminal.screen()).toMatch(/ · q back · y approve · /);
    await terminal.press('v', 'n', KEYS.enter);
    expect(read(await result)).toEqual({ action: 'reject' });
  });

  test('Esc closes what `?` said, and the question stays', async () => {
    const { terminal, ask } = asking([openInterrupt()], { aside: () => Promise.resolve('leave') });
    const result = ask();
    const before = await terminal.press('?', KEYS.escape).then(() => terminal.screen());
    expect(before).not.toContain('tell the model why');
    expect(before).toMatch(/Approve this call\? ?$/);
    await terminal.press('y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test('`?` has a screen of its own where it leaves no room for the question', async () => {
    const { terminal, ask } = asking([openInterrupt()], {}, testTerminal({ columns: 40, rows: 12 }));
    const result = ask();
    await terminal.press('?');
    expect(await terminal.screen()).toMatch(/^y {2}approve: [^]*\n1–11 of \d+ · Space next page · q back$/);
    await terminal.press(' ', 'q');
    expect(await terminal.screen()).toMatch(/^┃ transferMoney [^]*Approve this call\? ?$/);
    await terminal.press('y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test('more fields than the screen has rows stand above a reason with the first of them, and their count', async () => {
    const input = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field${index}`, index]));
    const { terminal, ask } = asking([transferOf(input)]);
    const result = ask();
    await terminal.press('n');
    expect(await terminal.screen()).toMatch(/┃ {3}field0: +0\n[^]*\n┃ 1–\d+ of 61 · \d+ rows left to read/);
    await terminal.press(KEYS.enter);
    await result;
  });

  test('a name that takes half the screen has its value below', async () => {
    const key = 'a'.repeat(40);
    const input = { [key]: 'b'.repeat(70) };
    const { terminal, ask } = asking([transferOf(input)], {}, testTerminal({ columns: 60, rows: 30 }));
    const result = ask();
    await terminal.settle();
    const rows = (await terminal.screen()).split('\n').map((row) => row.trimEnd());
    expect(rows.slice(1, 4)).toEqual([`┃   ${key}:`, `┃     ${'b'.repeat(53)}`, `┃   ↪ ${'b'.repeat(17)}`]);
    await terminal.press('c');
    await result;
  });

  test('a change of a file has its colours', async () => {
    const theme = {
      ...plainTheme,
      added: (text: string) => `<${text}>`,
      removed: (text: string) => `{${text}}`,
    };
    const source = {
      type: 'tool',
      ref: toolRef('r1'),
      name: 'write_file',
      input: {},
      raisedBy: 'approval',
    } as const;
    const { terminal, ask } = asking([openInterrupt(1, { source, payload: { diff: '-old\n+new' } })], {
      theme,
    });
    const result = ask();
    await terminal.settle();
    expect(await terminal.screen()).toContain('┃   {-old}\n┃   <+new>');
    await terminal.press('v', 'q', 'c');
    await result;
  });

  test('G31: text from outside reaches the terminal escaped only', async () => {
    const input = { toAccount: '\u001b[2J\u001b]0;owned\u0007\rABC', amount: '\u202e' };
    const { terminal, ask } = asking([transferOf(input, { payload: { reason: '\u001b[31mred\u009b' } })]);
    const result = ask();
    await terminal.press('e', KEYS.escape);
    expect(await terminal.screen()).toContain('\\u{1B}[2J\\u{1B}]0;owned\\u{7}\\u{D}ABC');
    await terminal.press('n', KEYS.enter);
    await result;
    const written = terminal.written();
    for (const raw of ['\u001b[2J', '\u001b]0;', '\u0007', '\u001b[31m', '\u202e', '\u009b']) {
      expect(written).not.toContain(raw);
    }
  });
});

describe('leaving a question open', () => {
  test.for([
    ['Ctrl-C', KEYS.ctrlC],
    ['Ctrl-D', KEYS.ctrlD],
  ] as const)('law 6: %s answers nothing', async ([key, bytes]) => {
    const { result, screen, isRaw } = await answered(openInterrupt(), bytes);
    expect(result).toEqual({ type: 'left-open', why: `left with ${key}` });
    expect(screen).toMatch(new RegExp(`^not answered: left with ${key}$`));
    expect(isRaw).toBe(false);
  });

  test('Ctrl-D on an empty reason answers nothing', async () => {
    const { result } = await answered(openInterrupt(), 'n', KEYS.ctrlD);
    expect(result).toEqual({ type: 'left-open', why: 'left with Ctrl-D' });
  });

  test('Ctrl-C answers nothing in the middle of an edit, a reason or a form either', async () => {
    for (const keys of [['e'], ['e', KEYS.enter], ['n', 'x'], ['a'], ['v']]) {
      const { result } = await answered(openInterrupt(), ...keys, KEYS.ctrlC);
      expect(result).toEqual({ type: 'left-open', why: 'left with Ctrl-C' });
    }
  });

  test('G16: an answer from elsewhere withdraws it without a line of its own: the decision line says it', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const controller = new AbortController();
    const result = ask(undefined, controller.signal);
    await terminal.press('n', 'x');
    controller.abort(new HitlError('ALREADY_ANSWERED', 'answered elsewhere by bob: approved'));
    expect(await result).toEqual({ type: 'left-open', why: 'answered elsewhere by bob: approved' });
    expect(await terminal.screen()).toBe('');
    expect(terminal.isRaw()).toBe(false);
  });

  test('G16: news that brings it back withdraws it without a line: it is shown again', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const controller = new AbortController();
    const result = ask(undefined, controller.signal);
    await terminal.press('n', 'x');
    controller.abort(new HitlError('ABORTED', 'new message', { hint: 'the question is shown again' }));
    expect(await result).toEqual({ type: 'left-open', why: 'new message' });
    expect(await terminal.screen()).toBe('');
  });

  test('G16: any other abort withdraws it and says why', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const controller = new AbortController();
    const result = ask(undefined, controller.signal);
    await terminal.press('n', 'x');
    controller.abort(new HitlError('ABORTED', 'its time is over'));
    expect(await result).toEqual({ type: 'left-open', why: 'its time is over' });
    expect(await terminal.screen()).toMatch(/^not answered: its time is over$/);
  });

  test('a signal that is aborted before asks nothing', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    expect(await ask(undefined, AbortSignal.abort(new Error('stopped')))).toEqual({
      type: 'left-open',
      why: 'stopped',
    });
    expect(terminal.written()).toBe('');
  });

  test('G26: a terminal that is gone answers nothing', async () => {
    const { terminal, ask } = asking([openInterrupt()]);
    const result = ask();
    await terminal.settle();
    terminal.close();
    expect(await result).toEqual({ type: 'left-open', why: 'the terminal is gone' });
    expect(await ask()).toEqual({ type: 'left-open', why: 'the terminal is gone' });
  });

  test('E11: two questions at once are asked one after the other', async () => {
    const { terminal, ask } = asking([]);
    const [one, two] = [openInterrupt(1), openInterrupt(2)];
    const [first, second] = [ask([one]), ask([two])];
    await terminal.press('y');
    expect(await first).toEqual(answerTo(one, { action: 'restart' }));
    await terminal.press('n', KEYS.enter);
    expect(await second).toEqual(answerTo(two, { action: 'reject' }));
  });

  test('nothing to ask is a mistake of the caller', async () => {
    const { ask } = asking([]);
    await expect(ask()).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});

describe('a question at a terminal', () => {
  test('takes a text; Enter alone asks again, twice is the empty text', async () => {
    const { terminal, ask } = asking([openQuestion({ question: 'Name?' })]);
    const result = ask();
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toContain('press Enter again to send an empty answer');
    await terminal.type('Ann 5');
    await terminal.press(KEYS.enter);
    expect(read(await result)).toEqual({ action: 'respond', output: 'Ann 5' });
    const { result: empty } = await answered(openQuestion({ question: 'Name?' }), KEYS.enter, KEYS.enter);
    expect(read(empty)).toEqual({ action: 'respond', output: '' });
  });

  test('G30: what was typed before it was drawn is no answer', async () => {
    const { terminal, ask } = asking([openQuestion({ question: 'Name?' })]);
    const result = ask();
    await terminal.send('typed before\r');
    await terminal.press('A', KEYS.enter);
    expect(read(await result)).toEqual({ action: 'respond', output: 'A' });
  });

  test('a pasted answer is sent by a key of its own', async () => {
    const { terminal, ask } = asking([openQuestion({ question: 'Poem?' })]);
    const result = ask();
    await terminal.arm();
    await terminal.paste('one\ntwo\n');
    await terminal.send(KEYS.enter);
    expect(await terminal.screen()).toContain('Enter came too soon');
    await terminal.press(KEYS.enter);
    expect(read(await result)).toEqual({ action: 'respond', output: 'one\ntwo\n' });
  });

  test('`/cancel` cancels, `//` begins a text with a slash', async () => {
    const typed = async (text: string) => {
      const { terminal, ask } = asking([openQuestion({ question: 'Path?' })]);
      const result = ask();
      await terminal.arm();
      await terminal.type(text);
      await terminal.press(KEYS.enter);
      return read(await result);
    };
    expect(await typed('/cancel')).toEqual({ action: 'cancel' });
    expect(await typed('//etc')).toEqual({ action: 'respond', output: '/etc' });
  });

  test('Esc shows the other keys, and Esc again the question', async () => {
    const { terminal, ask } = asking([openQuestion({ question: 'Name?' })]);
    const result = ask();
    await terminal.press(KEYS.escape);
    expect(await terminal.screen()).toContain('a answer · c cancel · v view all · ? more');
    await terminal.press(KEYS.escape, 'x', KEYS.escape, 'c');
    expect(read(await result)).toEqual({ action: 'cancel' });
  });

  test.for([
    [{ type: 'integer' }, ['5'], 5],
    [{ type: 'boolean' }, null, false],
    [{ type: 'array', items: { type: 'number' } }, ['[1, 2]'], [1, 2]],
    [{ type: 'string', minLength: 2 }, ['ab'], 'ab'],
    [{ type: ['string', 'null'] }, ['null'], null],
  ] as const)('fits its schema: %j', async ([schema, typed, output]) => {
    const { terminal, ask } = asking([openQuestion({ question: '?' }, schema)]);
    const result = ask();
    await terminal.arm();
    if (typed === null) await terminal.press('n');
    else {
      await terminal.type(typed[0]);
      await terminal.press(KEYS.enter);
    }
    expect(read(await result)).toEqual({ action: 'respond', output });
  });

  test('an answer that does not fit is told why, and may be mended', async () => {
    const { terminal, ask } = asking([
      openQuestion({ question: 'How many?' }, { type: 'integer', minimum: 3 }),
    ]);
    const result = ask();
    await terminal.press('x', KEYS.enter);
    expect(await terminal.screen()).toMatch(/answer: x\nEnter a whole number, at least 3$/);
    await terminal.press(KEYS.ctrlU, '1', KEYS.enter);
    expect(await terminal.screen()).toMatch(/answer: 1\nToo small/);
    await terminal.press(KEYS.backspace, '4', KEYS.enter);
    expect(read(await result)).toEqual({ action: 'respond', output: 4 });
  });

  test('shows its choices with their descriptions in the whole view', async () => {
    const choices = ['red', { label: 'green', description: 'like grass' }];
    const { terminal, ask } = asking([openQuestion({ question: 'Colour?', choices })]);
    const result = ask();
    await terminal.press(KEYS.escape, 'v');
    expect(await terminal.screen()).toContain('┃   1. red\n┃   2. green – like grass');
    await terminal.press('q', 'c');
    await result;
  });

  test('offers its choices by number', async () => {
    const asked = openQuestion({ question: 'Colour?', choices: ['red', 'green'] });
    const { result, screen } = await answered(asked, KEYS.enter, '2');
    expect(read(result)).toEqual({ action: 'respond', output: 'green' });
    expect(screen).toContain('✓ you answered  Colour?  green');
  });

  test('takes something else where that is allowed, alone or with choices', async () => {
    const one = openQuestion({ question: 'Colour?', choices: ['red'], allowOther: true });
    expect(read((await answered(one, '2', 'x', KEYS.enter)).result)).toEqual({
      action: 'respond',
      output: 'x',
    });
    expect(read((await answered(one, '2', KEYS.escape, '1')).result)).toEqual({
      action: 'respond',
      output: 'red',
    });
    const many = openQuestion({
      question: 'Colours?',
      choices: ['red', 'blue'],
      allowOther: true,
      multiple: true,
    });
    const keys = ['1', ' ', '3', ' ', KEYS.enter, 'x', KEYS.enter];
    expect(read((await answered(many, ...keys)).result)).toEqual({ action: 'respond', output: ['red', 'x'] });
  });

  test('takes several', async () => {
    const asked = openQuestion({ question: 'Which?', choices: ['a', 'b', 'c'], multiple: true });
    const { result } = await answered(asked, '3', ' ', '1', ' ', KEYS.enter);
    expect(read(result)).toEqual({ action: 'respond', output: ['a', 'c'] });
  });

  test('does not show a secret, also afterwards', async () => {
    const { terminal, ask } = asking([openQuestion({ question: 'Key?', secret: true })]);
    const result = ask();
    await terminal.arm();
    await terminal.type('hunter2');
    await terminal.press(KEYS.enter);
    expect(read(await result)).toEqual({ action: 'respond', output: 'hunter2' });
    expect(terminal.written()).not.toMatch(/hunter/);
  });

  test('asks for the fields of its schema, and sends them after a key', async () => {
    const schema = {
      type: 'object',
      properties: { guests: { type: 'integer' }, meal: { type: 'string', enum: ['fish', 'soup'] } },
      required: ['guests'],
    };
    const { terminal, ask } = asking([openQuestion({ question: 'Plan?' }, schema)]);
    const result = ask();
    await terminal.press(
      '4',
      KEYS.enter,
      's',
      KEYS.tab,
      KEYS.enter,
      'e',
      KEYS.backspace,
      '5',
      KEYS.enter,
      KEYS.enter,
      'y',
    );
    expect(read(await result)).toEqual({ action: 'respond', output: { guests: 5, meal: 'soup' } });
  });

  test('a form that does not fit as a whole is asked again; Esc leaves it', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      minProperties: 1,
    };
    const { terminal, ask } = asking([openQuestion({ question: '?' }, schema)]);
    const result = ask();
    await terminal.press(KEYS.escape, 'a', 'x', KEYS.enter, KEYS.enter, KEYS.escape, 'c');
    expect(read(await result)).toEqual({ action: 'cancel' });
  });
});

describe('the other kinds at a terminal', () => {
  const node = { type: 'node', nodeId: 'review', visit: 1, phase: 'before' } as const;
  const gate = openInterrupt(1, { kind: 'gate', source: node, payload: { state: { draft: 'x', score: 1 } } });
  const limit = openInterrupt(1, { kind: 'limit', source: { type: 'run' }, payload: { limit: 'turns' } });
  const pause = openInterrupt(1, { kind: 'pause', source: { type: 'run' }, payload: { reason: 'lunch' } });
  const doubt = openInterrupt(1, { kind: 'in-doubt', payload: { startedAt: '2026-01-01T00:00:00Z' } });
  const failed = openInterrupt(1, { kind: 'error', payload: { message: 'no such account' } });
  const E = KEYS.enter;

  test.for([
    ['gate', 'y', gate, ['y'], { action: 'continue' }],
    ['gate', 'g', gate, ['g', 'x', E], { action: 'rerun', guidance: 'x' }],
    ['gate', 'g without words', gate, ['g', E], { action: 'rerun' }],
    ['gate', 'b', gate, ['b', E], { action: 'go-back', steps: 1 }],
    ['gate', 'b to a node', gate, ['b', KEYS.backspace, 'p', E], { action: 'go-back', to: 'p' }],
    ['gate', 's', gate, ['s'], { action: 'skip' }],
    ['gate', 'n', gate, ['n', E], { action: 'reject' }],
    ['gate', 'd', gate, ['d', E, 'x', E], { action: 'defer', note: 'x' }],
    ['gate', 'c', gate, ['c'], { action: 'cancel' }],
    [
      'gate',
      'e',
      gate,
      ['e', E, KEYS.backspace, '2', E, 'y'],
      { action: 'update-state', patch: { score: 2 } },
    ],
    ['pause', 'y', pause, ['y'], { action: 'continue' }],
    ['pause', 'g', pause, ['g', 'x', E], { action: 'rerun', guidance: 'x' }],
    ['limit', 'x', limit, ['x', '0', E, KEYS.backspace, '5', E], { action: 'extend', by: 5 }],
    ['limit', 'c', limit, ['c'], { action: 'cancel' }],
    ['in-doubt', 'r', doubt, ['r'], { action: 'retry' }],
    ['in-doubt', 'n', doubt, ['n', 'x', E], { action: 'reject', reason: 'x' }],
    ['error', 'r', failed, ['r'], { action: 'retry' }],
    ['error', 'n', failed, ['n', E], { action: 'reject' }],
    [
      'error',
      'e',
      failed,
      ['e', E, '0', E, 'y'],
      { action: 'restart', input: { toAccount: 'ABC123', amount: 2000 } },
    ],
  ] as const)('%s: %s', async ([, , interrupt, keys, resolution]) => {
    const { result, screen } = await answered(interrupt, ...keys);
    expect(read(result)).toEqual(resolution);
    expect(screen).toMatch(/(?:^|\n)[✓✗] you [a-z ]+ {2}\S.*$/);
  });

  test('law 7: an unknown outcome cannot be approved, only told or run again', async () => {
    const { terminal, ask } = asking([doubt]);
    const result = ask();
    await terminal.press('y');
    expect(await terminal.screen()).toContain('Press a, r or n (? for more)');
    await terminal.press('c');
    await result;
  });

  test('only what the raiser allows is offered', async () => {
    const narrow = openInterrupt(1, { allowed: ['reject', 'cancel'] });
    const { terminal, ask } = asking([narrow]);
    const result = ask();
    await terminal.press('y');
    expect(await terminal.screen()).toContain('Press n, c, v or ?');
    await terminal.press('c');
    await result;
  });

  test('conditions are changed as JSON', async () => {
    const editor = { name: 'ed', edit: () => Promise.resolve('{"score": 9}') };
    const { terminal, ask } = asking([gate], { editor });
    const result = ask();
    await terminal.press('k', 'y');
    expect(read(await result)).toEqual({ action: 'change-condition', patch: { score: 9 } });
  });

  test('a state that was not changed goes back to the keys', async () => {
    const { result } = await answered(gate, 'e', E, E, 's');
    expect(read(result)).toEqual({ action: 'skip' });
  });
});

describe('several open interrupts', () => {
  const [one, two] = [openInterrupt(1), openInterrupt(2, { payload: { reason: 'the second' } })];
  const third = openInterrupt(3, { kind: 'error', payload: { message: 'broken' } });

  test('are a numbered list, answered in any order', async () => {
    const { terminal, ask } = asking([one, two, third]);
    const result = ask();
    await terminal.settle();
    expect(await terminal.screen()).toBe(
      [
        '3 questions are waiting',
        '  1. transferMoney  ABC123, 200 · the amount is over 100',
        '  2. transferMoney  ABC123, 200 · the second',
        '  3. Failed: transferMoney  ABC123, 200 · broken',
        'number, or ↑↓ and Enter',
        'Which one first?',
      ].join('\n'),
    );
    await terminal.press('2');
    expect(await terminal.screen()).toMatch(/^┃ transferMoney +module \.\/bank\.js · 2 of 3$/m);
    await terminal.press('y');
    expect(await result).toEqual(answerTo(two, { action: 'restart' }));
    const last = ask([one]);
    await terminal.press('n', KEYS.enter);
    expect(await last).toEqual(answerTo(one, { action: 'reject' }));
  });

  test('Esc goes back to the list', async () => {
    const { terminal, ask } = asking([one, two]);
    const result = ask();
    await terminal.press(KEYS.escape, '1', KEYS.escape, '2', 'c');
    expect(await result).toEqual(answerTo(two, { action: 'cancel' }));
  });

  test('what matters of each stands on one screen, and `Y` approves each with its own digest', async () => {
    const { terminal, ask } = asking([one, two]);
    const result = ask();
    await terminal.settle();
    expect(await terminal.screen()).toBe(
      [
        '2 calls are waiting',
        '┃ 1  transferMoney                                                                 module ./bank.js',
        '┃      toAccount: ABC123',
        '┃      amount:    200',
        '┃    Reason: the amount is over 100',
        '┃ 2  transferMoney                                                                 module ./bank.js',
        '┃      toAccount: ABC123',
        '┃      amount:    200',
        '┃    Reason: the second',
        'Y approve both · N reject both · 1–2 one at a time · ? more',
        'Approve both calls?',
      ].join('\n'),
    );
    await terminal.press('Y');
    expect(await result).toEqual(answerTo(one, { action: 'restart' }));
    expect(await ask([two])).toEqual(answerTo(two, { action: 'restart' }));
    expect(await terminal.screen()).toBe(
      ['✓ you approved  transferMoney  ABC123, 200', '✓ you approved  transferMoney  ABC123, 200'].join('\n'),
    );
  });

  const warned = (id: number): Interrupt =>
    openInterrupt(id, {
      source: { ...one.source, input: { toAccount: 'AB\u200bC', amount: 200 } } as never,
    });

  test('`Y` leaves what something warns of, says how many and why, and asks those alone', async () => {
    const { terminal, ask } = asking([warned(4), one, two]);
    const result = ask();
    await terminal.settle();
    const rows = (await terminal.screen()).split('\n');
    expect([...rows.slice(0, 2), ...rows.slice(-2)]).toEqual([
      '3 calls are waiting',
      'Y leaves 1 call with a warning, to be answered separately.',
      'Y approve 2 of 3 · N reject all 3 · 1–3 one at a time · ? more',
      'Approve 2 of 3 calls?',
    ]);
    await terminal.press('Y');
    expect(await result).toEqual(answerTo(one, { action: 'restart' }));
    expect(await ask([warned(4), two])).toEqual(answerTo(two, { action: 'restart' }));
    const last = ask([warned(4)]);
    await terminal.press('Y', 'n', KEYS.enter);
    expect(await last).toEqual(answerTo(warned(4), { action: 'reject' }));
  });

  test.for([
    ['off', SANDBOX_OFF, 'Y approve both'],
    ['not there', noSandbox('bubblewrap is not installed'), 'Y approve both'],
    ['named by another warning', `other: ${SANDBOX_OFF}`, 'N reject both'],
  ] as const)('a sandbox that is %s keeps no command from `Y`', async ([, warning, key]) => {
    const command = (id: number) =>
      openInterrupt(id, {
        source: {
          type: 'tool',
          ref: toolRef(`r${id}`),
          name: 'run_command',
          input: { command: 'ls' },
          raisedBy: 'approval',
        },
        payload: { warnings: [warning] },
      });
    const tool = { name: 'run_command', description: '', inputSchema: {}, origin: 'built in' };
    const terminal = testTerminal({ columns: 100, rows: 30 });
    const { device, clock, theme } = terminal;
    const channel = new TerminalChannel({ device, clock, theme, actor });
    const state = bankState();
    const agent = { ...state.agent, tools: [tool] };
    void channel.ask([command(1), command(2)], { ...state, agent } as never, never);
    await terminal.settle();
    expect((await terminal.screen()).split('\n').at(-2)).toMatch(new RegExp(`^${key} · `, 'u'));
  });

  test('`Y` is not there where something warns of each, and `N` rejects them', async () => {
    const { terminal, ask } = asking([warned(4), warned(5)]);
    const result = ask();
    await terminal.press('Y');
    const rows = (await terminal.screen()).split('\n');
    expect([rows[1], ...rows.slice(-3)]).toEqual([
      'Each has a warning: approve them one at a time.',
      'N reject both · 1–2 one at a time · ? more',
      'Press N, 1–2 or ?',
      'Which one first?',
    ]);
    await terminal.press('N', KEYS.enter);
    expect(await result).toEqual(answerTo(warned(4), { action: 'reject' }));
    expect(await ask([warned(5)])).toEqual(answerTo(warned(5), { action: 'reject' }));
  });

  test('`N` rejects all with one reason; Esc at the reason goes back to the list', async () => {
    const { terminal, ask } = asking([one, two]);
    const result = ask();
    await terminal.press('N', KEYS.escape, 'N');
    expect(await terminal.screen()).toContain('Reason: the second');
    await terminal.type('not now');
    await terminal.press(KEYS.enter);
    expect(await result).toEqual(answerTo(one, { action: 'reject', reason: 'not now' }));
    expect(await ask([two])).toEqual(answerTo(two, { action: 'reject', reason: 'not now' }));
  });

  test('the small letters answer nothing in the list, and a number shows one', async () => {
    const { terminal, ask } = asking([one, two]);
    const result = ask();
    await terminal.press('y', 'n', KEYS.enter);
    expect(await terminal.screen()).toContain('Press Y, N, 1–2 or ?');
    await terminal.press('2', 'y');
    expect(await result).toEqual(answerTo(two, { action: 'restart' }));
  });

  test('`?` says what each key of the list does', async () => {
    const { terminal, ask } = asking([one, two]);
    const result = ask();
    await terminal.press('?');
    expect(await terminal.screen()).toContain(
      [
        'Y  approve both: run each with exactly this input',
        'N  reject both: don’t run any of them, and tell the model why',
        '1–2  one at a time: show one, with all its keys',
      ].join('\n'),
    );
    await terminal.press(KEYS.escape, 'N', KEYS.enter);
    await result;
  });

  test('G11: an answer for several is not used for one that has changed', async () => {
    const { terminal, ask } = asking([one, two]);
    const result = ask();
    await terminal.press('Y');
    await result;
    const changed = { ...two, digest: 'f'.repeat(64) };
    const again = ask([changed]);
    await terminal.press('n', KEYS.enter);
    expect(await again).toEqual(answerTo(changed, { action: 'reject' }));
  });

  test('an answer for several is forgotten when the person stops the run', async () => {
    const { terminal, channel, ask } = asking([one, two]);
    const result = ask();
    await terminal.press('Y');
    await result;
    channel.forget();
    const again = ask([two]);
    await terminal.press('c');
    expect(await again).toEqual(answerTo(two, { action: 'cancel' }));
  });

  test('only what a plain `y` of one person answers is answered together', () => {
    const source = { type: 'node', nodeId: 'review', visit: 1, phase: 'before' } as const;
    const wanted = { type: 'object', properties: { pin: { type: 'string' } }, required: ['pin'] } as const;
    const others: readonly (readonly [string, Partial<InterruptDraft>])[] = [
      ['a question', { kind: 'question' }],
      ['a doubt', { kind: 'in-doubt' }],
      ['an error', { kind: 'error' }],
      ['a gate', { kind: 'gate', source }],
      ['a limit', { kind: 'limit', source: { type: 'run' } }],
      ['a pause', { kind: 'pause', source: { type: 'run' } }],
      ['people who are named', { approvers: { from: ['ann'] } }],
      ['two people', { approvers: { need: 2 } }],
      ['a proposal', { proposed: { by: { issuer: '', subject: 'bob', name: 'bob' } } }],
      ['a yes with words', { resumeSchema: wanted }],
      ['another input only', { edit: 'required' }],
      ['no yes', { allowed: ['reject', 'cancel'] }],
    ];
    const together = others.map(([what, draft]) => [
      what,
      areAnsweredTogether([one, openInterrupt(9, draft)]),
    ]);
    expect(together).toEqual(others.map(([what]) => [what, false]));
    expect([areAnsweredTogether([one, two]), areAnsweredTogether([one])]).toEqual([true, false]);
    const narrow = openInterrupt(9, { allowed: ['restart'] });
    expect([areAnsweredTogether([one, narrow]), areRejectedTogether([one, narrow])]).toEqual([true, false]);
  });

  test('where one of them is answered otherwise, each is answered by itself', async () => {
    const { terminal, ask } = asking([one, two, third]);
    const result = ask();
    await terminal.press('Y', 'N');
    expect(await terminal.screen()).toContain('Which one first?');
    await terminal.press('1', 'c');
    expect(await result).toEqual(answerTo(one, { action: 'cancel' }));
  });

  test('A2: `Y` counts once each was on the screen, however it is scrolled', async () => {
    const many = Array.from({ length: 12 }, (_, index) => openInterrupt(index + 1));
    const { terminal, ask } = asking(many);
    const result = ask();
    await terminal.press(KEYS.down);
    expect(await terminal.screen()).toMatch(
      /^12 calls are waiting\n[^]*\d+ rows left to read[^]*\nY read on · /,
    );
    await terminal.press('Y');
    expect(await terminal.screen()).toMatch(/^12 calls are waiting\n[^]*\nY approve all 12 · /);
    await terminal.press('Y');
    expect(read(await result)).toEqual({ action: 'restart' });
  });

  test('more than nine are chosen from a list by their numbers', async () => {
    const many = Array.from({ length: 12 }, (_, index) => openInterrupt(index + 1));
    const { terminal, ask } = asking(many);
    const result = ask();
    await terminal.press('1', '1', '2', KEYS.enter, 'n', KEYS.enter);
    expect(await result).toEqual(answerTo(many[11] ?? one, { action: 'reject' }));
  });

  test('it is drawn again after Ctrl-Z', async () => {
    const { terminal, ask } = asking([one, two]);
    const result = ask();
    await terminal.press('?', KEYS.escape, KEYS.ctrlZ);
    expect((await terminal.screen()).match(/Reason: the second/g)).toHaveLength(2);
    await terminal.press('N', KEYS.enter);
    expect(await result).toEqual(answerTo(one, { action: 'reject' }));
  });

  test('G30: early keys, bursts and pastes approve nothing of the list', async () => {
    const { terminal, ask } = asking([one, two]);
    const result = ask();
    await terminal.send('Y');
    await terminal.paste('Y');
    await terminal.clock.advance(3000);
    await terminal.send('YY');
    await terminal.press('N', KEYS.enter);
    expect(read(await result)).toEqual({ action: 'reject' });
  });
});

describe('calling a person', () => {
  const alert = (workedMs: number, TERM = 'xterm') => ({
    alert: { workedMs: () => workedMs, env: { TERM } },
  });
  const written = async (options: Partial<TerminalChannelOptions>) => {
    const { terminal, ask } = asking([openInterrupt()], options);
    const result = ask();
    await terminal.press('c');
    await result;
    return terminal.written();
  };

  test('rings and sets the title after more than 5 s of work, and takes the title back', async () => {
    const text = await written(alert(5001));
    const waiting = text.indexOf('\u0007\u001b[22;2t\u001b]2;● hitl: waiting\u0007');
    expect(waiting).toBeGreaterThanOrEqual(0);
    expect(text.indexOf('\u001b[23;2t')).toBeGreaterThan(waiting);
  });

  test('is no row of the screen on which the question stands', async () => {
    const { terminal, ask } = asking([openInterrupt()], alert(5001));
    const result = ask();
    expect(await terminal.screen()).not.toContain('hitl: waiting');
    await terminal.press('c');
    await result;
  });

  test('only rings where titles show as letters', async () => {
    const text = await written(alert(5001, 'linux'));
    expect([text.includes('\u0007'), text.includes('waiting')]).toEqual([true, false]);
  });

  test('is silent after short work, and where it is not wanted', async () => {
    expect(await written(alert(5000))).not.toContain('\u0007');
    expect(await written({})).not.toContain('\u0007');
  });
});
