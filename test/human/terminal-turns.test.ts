import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { emptyState, HitlError } from '../../src/core/index.js';
import { Composer } from '../../src/human/composer/composer.js';
import { TerminalChannel } from '../../src/human/terminal/terminal.js';
import { bankState, KEYS, openInterrupt, testTerminal } from './terminal-harness.js';

const never = new AbortController().signal;

function turnsAt(terminal = testTerminal(), options = {}) {
  const { device, clock, theme } = terminal;
  const turns = new Composer({ device, clock, theme, ...options });
  return { terminal, turns, next: (signal = never) => turns.next(emptyState(), signal) };
}

/** Esc, and the time after which it is that key. */
async function escape(terminal: ReturnType<typeof testTerminal>): Promise<void> {
  await terminal.send(KEYS.escape);
  await terminal.clock.advance(60);
}

describe('user turns at a terminal', () => {
  test('Enter sends a line, and it stays on the screen', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('hello\r');
    expect(await turn).toEqual({ type: 'message', text: 'hello' });
    expect(await terminal.screen()).toBe('> hello\n>');
    expect(terminal.isRaw()).toBe(true);
    terminal.device.restore();
    expect([await terminal.screen(), terminal.isRaw()]).toEqual(['> hello', false]);
  });

  test('an empty line is no turn', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('\r  \r');
    await terminal.type('x\r');
    expect(await turn).toEqual({ type: 'message', text: 'x' });
  });

  test('a paste of several lines is one turn', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.paste(Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\r'));
    expect(await terminal.screen()).toBe('> [40 lines]');
    await terminal.send('\r');
    expect(await turn).toMatchObject({ text: expect.stringContaining('line 0\nline 1\n') });
  });

  test('Esc twice on an empty line sends the way back, and it is no turn of the transcript', async () => {
    const { terminal, turns, next } = turnsAt();
    turns.offer({ complete: () => [], back: '/rewind' });
    const turn = next();
    await escape(terminal);
    expect(await terminal.screen()).toBe('> \nEsc again to edit an earlier message');
    await terminal.type('x\u007f');
    expect(await terminal.screen()).toBe('>');
    await escape(terminal);
    await terminal.clock.advance(60_000); // what the row says holds for as long as it stands
    await escape(terminal);
    expect(await turn).toEqual({ type: 'message', text: '/rewind' });
    turns.write('said before');
    expect(await terminal.screen()).toBe('> said before');
  });

  test('Shift-Tab turns to the next mode and says what it means, also where it was pressed before the program is there', async () => {
    const { terminal, turns, next } = turnsAt();
    void next();
    await terminal.type('half');
    await terminal.send(KEYS.shiftTab);
    await terminal.send(KEYS.shiftTab);
    let turned = 0;
    turns.turnModeWith(() => Promise.resolve(`mode ${(turned += 1)}`));
    expect(await terminal.screen()).toBe('> half\nmode 2');
    await terminal.send(KEYS.shiftTab);
    expect(await terminal.screen()).toBe('> half\nmode 3');
    await terminal.type('x');
    expect(await terminal.screen()).toBe('> halfx');
  });

  test('Shift-Tab changes nothing while a question is put aside', async () => {
    const { terminal, turns } = turnsAt();
    let turned = 0;
    turns.turnModeWith(() => Promise.resolve(`mode ${(turned += 1)}`));
    void turns.putAside(1, never);
    await terminal.send(KEYS.shiftTab);
    expect([turned, await terminal.screen()]).toEqual([0, '> \nAnswer the waiting question first']);
    await terminal.send(KEYS.tab);
    expect(await terminal.screen()).toBe('>');
  });

  test('Esc twice clears a line, and ↑ brings it back', async () => {
    const { terminal, turns, next } = turnsAt();
    turns.offer({ complete: () => [], back: '/rewind' });
    const turn = next();
    await terminal.type('half of a thought');
    await escape(terminal);
    expect(await terminal.screen()).toBe('> half of a thought\nEsc again to clear the line (↑ restores it)');
    await escape(terminal);
    expect(await terminal.screen()).toBe('>');
    await terminal.send(KEYS.up);
    expect(await terminal.screen()).toBe('> half of a thought');
    await terminal.send('\r');
    expect(await turn).toEqual({ type: 'message', text: 'half of a thought' });
  });

  test('Ctrl-C clears a line; twice on an empty one it ends, for as long as the row says so', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('abc');
    await terminal.send(KEYS.ctrlC);
    expect(await terminal.screen()).toBe('>');
    await terminal.send(KEYS.ctrlC);
    expect(await terminal.screen()).toBe('> \nPress Ctrl-C again to exit');
    await terminal.type('a');
    expect(await terminal.screen()).toBe('> a');
    await terminal.send(KEYS.ctrlC);
    await terminal.send(KEYS.ctrlC);
    await terminal.clock.advance(60_000);
    await terminal.send(KEYS.ctrlC);
    expect(await turn).toEqual({ type: 'end', why: 'Ctrl-C' });
    terminal.device.restore();
    expect(await terminal.screen()).toBe('');
  });

  test('Ctrl-D on an empty line ends, in a text it deletes', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('ab');
    await terminal.send(KEYS.left);
    await terminal.send(KEYS.ctrlD);
    expect(await terminal.screen()).toBe('> a');
    await terminal.send(KEYS.backspace);
    await terminal.send(KEYS.ctrlD);
    expect(await turn).toEqual({ type: 'end', why: 'Ctrl-D' });
  });

  test('Esc does nothing', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('a');
    await terminal.send(KEYS.escape);
    await terminal.clock.advance(60);
    await terminal.type('b\r');
    expect(await turn).toEqual({ type: 'message', text: 'ab' });
  });

  test('what a line may become is listed with what it does; Tab takes what all share, then what is chosen', async () => {
    const names = ['/help', '/history', '/quit'];
    const { terminal, turns, next } = turnsAt();
    turns.offer({
      complete: (text) =>
        names
          .filter((name) => text.startsWith('/') && name.startsWith(text) && name !== text)
          .map((name) => ({ line: name, label: name, help: `does ${name.slice(1)}` })),
    });
    const turn = next();
    await terminal.type('/h');
    expect(await terminal.screen()).toBe('> /h\n❯ /help     does help\n  /history  does history');
    await terminal.send(KEYS.down);
    await terminal.type('\t');
    expect(await terminal.screen()).toBe('> /history');
    await terminal.type('\u0015/x\t\r');
    expect(await turn).toEqual({ type: 'message', text: '/x' });
  });

  test('lines are kept in the history, also of earlier processes', async () => {
    const added: string[] = [];
    const history = {
      load: () => Promise.resolve(['earlier']),
      add: (line: string) => {
        added.push(line);
        return Promise.resolve();
      },
    };
    const { terminal, next } = turnsAt(undefined, { history });
    const first = next();
    await terminal.type('now\r');
    await first;
    const again = next();
    await terminal.settle();
    await terminal.send(KEYS.up);
    await terminal.send('\r');
    expect(await again).toEqual({ type: 'message', text: 'now' });
    const third = next();
    await terminal.settle();
    await terminal.send(KEYS.up);
    await terminal.send(KEYS.up);
    await terminal.send('\r');
    expect(await third).toEqual({ type: 'message', text: 'earlier' });
    expect(added).toEqual(['now', 'earlier']);
  });

  test('what was typed ahead is kept for the next turn', async () => {
    const { terminal, next } = turnsAt();
    const first = next();
    await terminal.send('one\rtwo\rthr');
    expect(await first).toEqual({ type: 'message', text: 'one' });
    expect(await next()).toEqual({ type: 'message', text: 'two' });
    const third = next();
    await terminal.type('ee\r');
    expect(await third).toEqual({ type: 'message', text: 'three' });
  });

  test('a withdrawn line is there again at the next call', async () => {
    const { terminal, next } = turnsAt();
    const leaving = new AbortController();
    const withdrawn = next(leaving.signal);
    await terminal.type('half a sen');
    leaving.abort(new Error('stopped'));
    await expect(withdrawn).rejects.toThrow('stopped');
    expect([await terminal.screen(), terminal.isRaw()]).toEqual(['> half a sen', true]);
    const turn = next();
    await terminal.type('tence\r');
    expect(await turn).toEqual({ type: 'message', text: 'half a sentence' });
  });

  test('G26: the end of the terminal ends the turns', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('abc');
    terminal.close();
    expect(await turn).toEqual({ type: 'end', why: 'the terminal is gone' });
    expect(await next()).toEqual({ type: 'end', why: 'the terminal is gone' });
  });

  test('G28: after Ctrl-Z the line is drawn again below what came meanwhile', async () => {
    const { terminal, next } = turnsAt();
    const turn = next();
    await terminal.type('abc');
    await terminal.send(KEYS.ctrlZ);
    expect(await terminal.screen()).toBe('> abc\n> abc');
    await terminal.type('d\r');
    expect(await turn).toEqual({ type: 'message', text: 'abcd' });
  });

  test('a narrower and a wider screen show the line once', async () => {
    const { terminal, next } = turnsAt(testTerminal({ columns: 60, rows: 10 }));
    const first = next();
    await terminal.type('before\r');
    await first;
    const turn = next();
    await terminal.type('x'.repeat(50));
    await terminal.resize(30, 10);
    expect(await terminal.screen()).toBe(`> before\n> ${'x'.repeat(27)}\n  ${'x'.repeat(23)}`);
    await terminal.resize(60, 10);
    expect(await terminal.screen()).toBe(`> before\n> ${'x'.repeat(50)}`);
    await terminal.type('\r');
    await turn;
  });

  test('Ctrl-L clears the screen and keeps the line', async () => {
    const { terminal, next } = turnsAt();
    const first = next();
    await terminal.type('one\r');
    await first;
    const turn = next();
    await terminal.type('two');
    await terminal.send(KEYS.ctrlL);
    // A terminal may keep what it clears above the screen: the line is taken away before.
    expect(terminal.written()).toContain('\r\u001b[J\u001b[H\u001b[2J');
    expect((await terminal.screen()).trimStart()).toBe('> two');
    await terminal.type('\r');
    await turn;
  });

  test('C2: what is entered while something runs waits, a line each, and Up takes the last one back', async () => {
    const { terminal, next } = turnsAt();
    const first = next();
    await terminal.type('go\r');
    await first;
    await terminal.type('one\rtwo\rthr');
    expect(await terminal.screen()).toBe('> go\nqueued  one\nqueued  two\n> thr');
    await terminal.send(KEYS.ctrlU);
    await terminal.send(KEYS.up);
    expect(await terminal.screen()).toBe('> go\nqueued  one\n> two');
    await terminal.type('!\r');
    expect(await next()).toEqual({ type: 'message', text: 'one' });
    expect(await terminal.screen()).toBe('> go\n> one\nqueued  two!\n>');
    expect(await next()).toEqual({ type: 'message', text: 'two!' });
  });

  test('C1: what others write stands above the line, whoever writes it', async () => {
    const { terminal, turns, next } = turnsAt();
    const turn = next();
    await terminal.type('half');
    turns.changed();
    terminal.output.write('a whole line\nthe beginning ');
    expect(await terminal.screen()).toBe('a whole line\nthe beginning \n> half');
    terminal.output.write('of a line\n');
    await terminal.type(' a line\r');
    expect(await turn).toEqual({ type: 'message', text: 'half a line' });
    terminal.device.restore();
    expect(await terminal.screen()).toBe('a whole line\nthe beginning of a line\n> half a line');
  });

  test('Esc stops what runs, and Ctrl-C is heard as it is', async () => {
    const heard: string[] = [];
    const { terminal } = turnsAt(undefined, {
      onStop: () => heard.push('stop'),
      onInterrupt: () => heard.push('interrupt'),
    });
    await terminal.send(KEYS.escape);
    await terminal.clock.advance(60);
    await terminal.send(KEYS.ctrlC);
    expect(heard).toEqual(['stop', 'interrupt']);
  });

  test('C2: Esc gives back what was queued, before what stands in the line, and sends none of it', async () => {
    const heard: string[] = [];
    const { terminal, turns, next } = turnsAt(undefined, { onStop: () => heard.push('stop') });
    const first = next();
    await terminal.type('go\r');
    await first;
    await terminal.type('one\rtwo\rthr');
    await terminal.send(KEYS.escape);
    await terminal.clock.advance(60);
    expect([heard, turns.queued]).toEqual([['stop'], 0]);
    expect(await terminal.screen()).toBe(
      '> go\n> one\n  two\n  thr\nNot sent: your queued messages are back in the line.',
    );
    const turn = next();
    await terminal.type('!\r');
    expect(await turn).toEqual({ type: 'message', text: 'one\ntwo\nthr!' });
  });

  test('C2: Ctrl-C gives back what was queued as Esc does, and a second one is heard too', async () => {
    const heard: string[] = [];
    const { terminal, turns, next } = turnsAt(undefined, { onInterrupt: () => heard.push('interrupt') });
    const first = next();
    await terminal.type('go\r');
    await first;
    await terminal.type('one\rtwo\r');
    await terminal.send(KEYS.ctrlC);
    expect([heard, turns.queued]).toEqual([['interrupt'], 0]);
    expect(await terminal.screen()).toBe(
      '> go\n> one\n  two\nNot sent: your queued messages are back in the line.',
    );
    await terminal.send(KEYS.ctrlC);
    expect(heard).toEqual(['interrupt', 'interrupt']);
    const turn = next();
    await terminal.type('\r');
    expect(await turn).toEqual({ type: 'message', text: 'one\ntwo' });
  });

  test('Ctrl-R finds an earlier line by what is in it', async () => {
    const history = {
      load: () => Promise.resolve(['run the tests', 'transfer 10', 'transfer 20']),
      add: () => Promise.resolve(),
    };
    const { terminal, next } = turnsAt(undefined, { history });
    const turn = next();
    await terminal.settle();
    await terminal.send('\u0012');
    await terminal.type('tra');
    await terminal.send('\u0012');
    expect((await terminal.screen()).split('\n')[0]).toBe('search tra: transfer 10');
    await terminal.send(KEYS.enter);
    await terminal.send(KEYS.enter);
    expect(await turn).toEqual({ type: 'message', text: 'transfer 10' });
  });

  test('C4: with a question put aside a line waits, and Tab or `/answer` asks again', async () => {
    const { terminal, turns } = turnsAt();
    const aside = turns.putAside(1, never);
    await terminal.type('use the other account\r');
    expect(await terminal.screen()).toContain(
      'queued  use the other account\n> \n1 question waiting · Tab answers it',
    );
    await terminal.send(KEYS.tab);
    expect([await aside, turns.queued]).toEqual(['answer', 1]);
    const again = turns.putAside(2, never);
    await terminal.type('/cancel\r');
    expect(await again).toBe('cancel');
  });

  test('C4: with a question put aside a command that changes nothing runs at once', async () => {
    const { terminal, turns } = turnsAt();
    const ran: string[] = [];
    turns.besideWith((line) => line === '/status' && ran.push(line) > 0);
    const aside = turns.putAside(1, never);
    await terminal.type('/status\r');
    await terminal.type('/undo\r');
    expect([ran, turns.queued]).toEqual([['/status'], 1]);
    expect(await terminal.screen()).toContain('> /status\nqueued  /undo\n> \n1 question waiting');
    await terminal.type('/answer\r');
    expect(await aside).toBe('answer');
  });
});

describe('a question that comes while a person types', () => {
  const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;

  /** Types a text; the question comes after so many of its characters. */
  function interrupted(text: string, after: number, gaps: readonly number[]) {
    return interruptedBy(async ({ terminal, ask }) => {
      for (const [at, character] of Array.from(text).entries()) {
        if (at === after) ask();
        await terminal.send(character);
        await terminal.clock.advance(gaps[at % gaps.length] ?? 0);
      }
    });
  }

  /** Does something; the question comes where it asks. */
  async function interruptedBy(
    act: (world: { readonly terminal: ReturnType<typeof testTerminal>; ask(): void }) => Promise<void>,
  ) {
    const { terminal, turns, next } = turnsAt();
    const { device, clock, theme } = terminal;
    const { signal } = new AbortController();
    const aside = (open: number) => turns.putAside(open, signal);
    const channel = new TerminalChannel({ device, clock, theme, actor, aside });
    void next(signal);
    await terminal.type('go\r');
    let isOpen = true;
    const ask = () => {
      void channel.ask([openInterrupt()], bankState(), signal).then(() => {
        isOpen = false;
      });
    };
    await act({ terminal, ask });
    const screen = await terminal.screen();
    await clock.advance(2000);
    await terminal.settle();
    const wasOpen = isOpen;
    await escape(terminal);
    await terminal.settle();
    return { screen, wasOpen, after: await terminal.screen(), terminal };
  }

  test('D6: their text is kept whole in their line, and decides nothing', async () => {
    const { screen, wasOpen, after } = await interrupted('and yes more', 2, [150]);
    expect(screen).toContain('The text you were typing is still in your line. Pause, then press a key.');
    expect([wasOpen, after]).toEqual([
      true,
      expect.stringContaining('> and yes more\n1 question waiting · Tab answers it'),
    ]);
  });

  test('D6: a paste that began before the question is kept in their line too', async () => {
    const { wasOpen, after } = await interruptedBy(async ({ terminal, ask }) => {
      await terminal.send('\u001b[200~y\rand ');
      ask();
      await terminal.clock.advance(2000);
      await terminal.send('more\u001b[201~');
    });
    expect([wasOpen, after]).toEqual([
      true,
      expect.stringContaining('> y\n  and more\n1 question waiting · Tab answers it'),
    ]);
  });

  test('D6: Tab completes what they type, and says no yes', async () => {
    const { screen, wasOpen, after } = await interruptedBy(async ({ terminal, ask }) => {
      await terminal.type('ab');
      ask();
      await terminal.type('c');
      await terminal.clock.advance(450);
      await terminal.send(KEYS.tab);
      await terminal.type('d');
    });
    expect(screen).toMatch(/The text you were typing is still in your line.*\nApprove this call\?$/u);
    expect([wasOpen, after]).toEqual([true, expect.stringContaining('> abcd\n1 question waiting')]);
  });

  test('D6: lines that are pasted without markers stay together', async () => {
    const { wasOpen, after } = await interruptedBy(async ({ terminal, ask }) => {
      await terminal.type('ab');
      ask();
      await terminal.send('c\rdef');
    });
    expect([wasOpen, after]).toEqual([
      true,
      expect.stringContaining('queued  abc\n> def\n1 question waiting'),
    ]);
  });

  test.for([
    ['the next question', [openInterrupt(2)]],
    ['the line', []],
  ] as const)(
    'D8: what they type at a question that is answered elsewhere does not go on into %s',
    async ([, others]) => {
      const { terminal, turns, next } = turnsAt();
      const { device, clock, theme } = terminal;
      const aside = (open: number) => turns.putAside(open, never);
      const channel = new TerminalChannel({ device, clock, theme, actor, aside });
      const gone = new AbortController();
      const first = channel.ask([openInterrupt()], bankState(), gone.signal);
      await terminal.press('n');
      await terminal.type('because the y');
      gone.abort(new HitlError('ALREADY_ANSWERED', 'answered elsewhere'));
      expect(await first).toMatchObject({ type: 'left-open' });
      let answer: unknown = 'none';
      if (others.length > 0)
        void channel.ask(others, bankState(), never).then((given) => {
          answer = given;
        });
      else
        void next().then((turn) => {
          answer = turn;
        });
      await terminal.type(' axis is y y y y y y y y y y y y y y wrong\r');
      await clock.advance(3000);
      expect([answer, turns.unsent]).toEqual(['none', []]);
      expect(await terminal.screen()).toContain('Ignored: the rest of what you were typing');
      await terminal.press('y');
      if (others.length === 0) await terminal.send('\r');
      await terminal.settle();
      expect(answer).toMatchObject(
        others.length === 0
          ? { type: 'message', text: 'y' }
          : { answer: { resolution: { action: 'restart' } } },
      );
    },
  );

  test.for([
    ['answered after all', [KEYS.tab, 'y'], '✓ you approved  transferMoney  ABC123, 200'],
    ['cancelled', ['/cancel\r'], '✗ you cancelled  transferMoney  ABC123, 200'],
    ['left', ['/quit\r'], '⏸ waiting  transferMoney  ABC123, 200'],
  ] as const)('C4: a question that was put aside and is %s leaves one row', async ([, keys, row]) => {
    const { turns, terminal } = turnsAt();
    const { device, clock, theme } = terminal;
    const channel = new TerminalChannel({
      ...{ device, clock, theme, actor },
      aside: (open, _how, signal, waiting) => turns.putAside(open, signal, waiting),
    });
    const asked = channel.ask([openInterrupt()], bankState(), never);
    await escape(terminal);
    await terminal.settle();
    const aside = await terminal.screen();
    for (const key of keys) {
      if (key.startsWith('/')) await terminal.send(key);
      else await terminal.press(key);
      await terminal.settle();
    }
    await asked;
    expect(aside).toContain('> \n⏸ waiting  transferMoney  ABC123, 200\n1 question waiting · Tab answers it');
    expect((await terminal.screen()).replace(/\n> *$/u, '')).toBe(row);
  });

  test('C4: what waits stays named where the row below says something else', async () => {
    const { turns, terminal } = turnsAt();
    void turns.putAside(1, never, '⏸ waiting  Pay 5');
    turns.noteInterrupt();
    await terminal.settle();
    expect(await terminal.screen()).toBe('> \n⏸ waiting  Pay 5\nPress Ctrl-C again to exit');
  });

  test('D6: after a pause the keys are for the question', async () => {
    const { turns, terminal, next } = turnsAt();
    const { device, clock, theme } = terminal;
    void next();
    await terminal.type('an');
    const aside = (open: number) => turns.putAside(open, never);
    const asked = new TerminalChannel({ device, clock, theme, actor, aside }).ask(
      [openInterrupt()],
      bankState(),
      never,
    );
    await terminal.type('d');
    await terminal.press('y');
    expect(await asked).toMatchObject({ type: 'answered', answer: { resolution: { action: 'restart' } } });
    expect(await terminal.screen()).toBe('✓ you approved  transferMoney  ABC123, 200\n> and');
  });

  test('D6: the line that was being typed can be sent, and waits behind the answer', async () => {
    const { wasOpen, after } = await interrupted('and yes\r', 2, [100]);
    expect([wasOpen, after]).toEqual([
      true,
      expect.stringContaining('queued  and yes\n> \n1 question waiting'),
    ]);
  });

  test('D6: so it is at whatever moment the question comes, and however fast they type', async () => {
    const letter = fc.constantFrom('y', 'Y', 'n', 'e', 'w', 'c', 'v', 'u', '1', ' ', 'a');
    const text = fc.array(letter, { minLength: 2, maxLength: 14 }).map((all) => `x${all.join('')}x`);
    const gaps = fc.array(fc.constantFrom(0, 20, 120, 300, 450, 590), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(text, fc.nat(13), gaps, async (typed, at, pauses) => {
        const after = 1 + (at % (typed.length - 1));
        const done = await interrupted(typed, after, pauses);
        expect([done.wasOpen, done.after]).toEqual([true, expect.stringContaining(`> ${typed}\n1 question`)]);
        done.terminal.device.restore();
      }),
      { numRuns: 60 },
    );
  });
});
