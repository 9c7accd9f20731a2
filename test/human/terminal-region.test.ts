import { describe, expect, test } from 'vitest';

import type { HeldTerminal } from '../../src/human/device/ports.js';
import { plainRow, Region } from '../../src/human/device/region.js';
import { testTerminal } from './terminal-harness.js';

const never = new AbortController().signal;
const size = { columns: 20, rows: 8 };

async function drawing(work: (region: Region, held: HeldTerminal) => void): Promise<string> {
  const terminal = testTerminal(size);
  await terminal.device.use((held) => {
    const { columns } = size;
    work(new Region({ columns, write: held.raw }), held);
    return Promise.resolve();
  }, never);
  return terminal.screen();
}

const two = { rows: [plainRow('first'), plainRow('second')], cursor: { row: 0, column: 2 } };
const one = { rows: [plainRow('only')], cursor: { row: 0, column: 4 } };

describe('a region of the screen', () => {
  test('R1: is drawn again in its place, whatever it was', async () => {
    const screen = await drawing((region, held) => {
      held.raw('above\r\n');
      for (const picture of [two, one, two, two]) region.draw(picture);
      held.raw('|');
    });
    expect(screen).toBe('above\nfi|st\nsecond');
  });

  test('is taken away, and left where it is', async () => {
    expect(
      await drawing((region, held) => {
        region.draw(two);
        region.clear();
        held.raw('a\r\n');
        region.draw(two);
        region.leave();
        held.raw('b');
      }),
    ).toBe('a\nfirst\nsecond\nb');
  });

  test('of several rows is never cleared from its first one, which tmux would save in its history', () => {
    let written = '';
    const write = (text: string): void => {
      written += text;
    };
    const region = new Region({ columns: 20, write });
    region.draw(two);
    written = '';
    for (const picture of [two, one]) region.draw(picture);
    region.draw(two);
    region.clear();
    expect(written.split('\u001b[J').map((before) => before.endsWith('\u001b[B'))).toEqual([
      ...[true, true, false, true],
      false, // the end
    ]);
  });

  test('that was not drawn is neither taken away nor left', async () => {
    expect(
      await drawing((region, held) => {
        held.raw('a');
        region.clear();
        region.leave();
        held.raw('b');
      }),
    ).toBe('ab');
  });

  test('R3: cuts a row that is wider than the screen, whatever was claimed of it (A3)', async () => {
    const wide = { text: `${'\uFF9E'.repeat(50)} y approve`, columns: 8 };
    const screen = await drawing((region) => {
      region.draw({ rows: [wide, plainRow('second')], cursor: { row: 1, column: 0 } });
    });
    expect(screen).toBe(`${'\uFF9E'.repeat(20)}\nsecond`);
  });

  test('R3: what the terminal draws wider than was counted moves no row below it (A3)', async () => {
    const unknown = '\u001b[20Cx'.repeat(3); // counted as nothing of what it does
    const screen = await drawing((region) => {
      region.draw({
        rows: [{ text: unknown, columns: 1 }, plainRow('second')],
        cursor: { row: 1, column: 0 },
      });
    });
    expect(screen.split('\n').slice(1)).toEqual(['second']);
  });

  test('the terminal breaks lines again behind it, in the same write (A3)', async () => {
    const writes: string[] = [];
    new Region({ columns: 20, write: (text) => void writes.push(text) }).draw(two);
    expect(writes).toEqual(['\r\u001b[J\u001b[?7lfirst\r\nsecond\u001b[?7h\u001b[1A\r\u001b[2C']);
  });

  test('that was forgotten starts at the cursor', async () => {
    expect(
      await drawing((region, held) => {
        region.draw(two);
        held.raw('\r\n\r\n\r\n');
        region.forget();
        region.draw(one);
      }),
    ).toBe('first\nsecond\n\nonly');
  });
});
