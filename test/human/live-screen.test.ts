import { describe, expect, test } from 'vitest';

import { LiveScreen } from '../../src/human/device/live-screen.js';
import { testTerminal } from './terminal-harness.js';

/** A screen that counts its writes. */
function screenOf(size = { columns: 20, rows: 12 }): {
  screen: LiveScreen;
  writes: string[];
  settle(): Promise<void>;
} {
  const writes: string[] = [];
  const screen = new LiveScreen({ size: () => size, write: (text) => void writes.push(text) });
  return {
    screen,
    writes,
    settle: () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      }),
  };
}

describe('what is waited for', () => {
  test('has rows above and below it, each cut where the screen ends, and below it the last that a third of the screen takes', async () => {
    const terminal = testTerminal({ columns: 20, rows: 9 });
    const { screen } = terminal.device;
    await terminal.device.use(async () => {
      screen.append('text\n');
      const below = ['one', 'two', 'three', 'four', 'x'.repeat(30)];
      screen.setActivity({ text: 'works', above: ['read'], below });
      expect(await terminal.screen()).toBe(`text\nread\nworks\nthree\nfour\n${'x'.repeat(19)}`);
      screen.setActivity(undefined);
      expect(await terminal.screen()).toBe('text');
    }, new AbortController().signal);
  });

  test('stands below a line that has no end yet, and is drawn again in one write, however often it changes at once', async () => {
    const { screen, writes, settle } = screenOf();
    screen.append('a line that');
    screen.setActivity({ text: 'works' });
    await settle();
    writes.length = 0;
    for (let at = 0; at < 100; at += 1) {
      screen.append(' x');
      screen.setActivity({ text: `works ${at}` });
    }
    await settle();
    expect(writes).toHaveLength(1);
    screen.setActivity({ text: 'works 99' });
    await settle();
    expect(writes).toHaveLength(1);
  });
});

describe('V5: what the last line is about', () => {
  const about = (act: (screen: LiveScreen) => void): string | undefined => {
    const { screen } = screenOf();
    screen.append('decided\n', undefined, 'call');
    act(screen);
    return screen.lastLine.about;
  };

  test.for<[string, (screen: LiveScreen) => void, string | undefined]>([
    ['stays', () => undefined, 'call'],
    [
      'stays while only the region changes',
      (screen) => {
        screen.setActivity({ text: 'works' });
        screen.resized();
      },
      'call',
    ],
    [
      'ends with any line',
      (screen) => {
        screen.append('more');
      },
      undefined,
    ],
    [
      'ends with a line of another stream',
      (screen) => {
        screen.append('more\n', () => undefined);
      },
      undefined,
    ],
    [
      'ends where the screen is cleared',
      (screen) => {
        screen.clearAll();
      },
      undefined,
    ],
    [
      'ends where another program had the screen',
      (screen) => {
        screen.cover();
        screen.uncover();
      },
      undefined,
    ],
    [
      'is that of a line that waits to be written',
      (screen) => {
        screen.cover();
        screen.append('other\n', undefined, 'other');
      },
      'other',
    ],
  ])('%s', ([, act, expected]) => {
    expect(about(act)).toBe(expected);
  });
});
