import { EventEmitter } from 'node:events';

import { describe, expect, test } from 'vitest';

import { TerminalDevice } from '../../src/human/device/device.js';
import type { TerminalEvent } from '../../src/human/device/ports.js';
import { fakeClock } from '../../src/testing/index.js';
import { KEYS, testTerminal } from './terminal-harness.js';

const never = new AbortController().signal;
/** What the terminal showed of keys that came before it was taken goes. */
const ECHO_OFF = '\r\u001b[K';
const PASTE_OFF = '\u001b[?2004l\u001b[?25h\u001b[?7h\u001b[0m';

/** A terminal that has only what must be there. */
function bareTerminal(size = {}, write?: () => void) {
  const input = Object.assign(new EventEmitter(), { resume: () => undefined, pause: () => undefined });
  const written: string[] = [];
  const output = Object.assign(new EventEmitter(), {
    ...size,
    write: (text: string) => {
      write?.();
      written.push(text);
    },
  });
  return { device: new TerminalDevice({ input, output, clock: fakeClock() }), input, output, written };
}

function terminalThatThrows() {
  const { device } = bareTerminal({}, () => {
    throw new Error('EIO');
  });
  return { device, run: () => device.use(() => Promise.resolve(), never) };
}

function terminalThatTells() {
  const { device, output } = bareTerminal();
  return {
    device,
    run: async () => {
      output.emit('error', new Error('EPIPE'));
      await Promise.resolve();
    },
  };
}

/** Holds the terminal until the returned function is called, and notes what is heard. */
function holding(terminal: ReturnType<typeof testTerminal>, signal = never) {
  const heard: TerminalEvent[] = [];
  let free: () => void = () => undefined;
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  const done = terminal.device.use(async (held) => {
    held.listen((event) => {
      heard.push(event);
    });
    await freed;
  }, signal);
  return { heard, free, done };
}

function keysOf(heard: readonly TerminalEvent[]): readonly string[] {
  return heard.map((event) => (event.type === 'key' ? event.key.name : event.type));
}

describe('a terminal device', () => {
  test('D2: raw mode and bracketed paste are on only while it is held', async () => {
    const terminal = testTerminal();
    const { free, done } = holding(terminal);
    await terminal.settle();
    expect([terminal.isRaw(), terminal.written()]).toEqual([true, `${ECHO_OFF}\u001b[?2004h`]);
    free();
    await done;
    expect([terminal.isRaw(), terminal.written()]).toEqual([false, `${ECHO_OFF}\u001b[?2004h${PASTE_OFF}`]);
  });

  test('D2: the terminal is set back when its holder throws', async () => {
    const terminal = testTerminal();
    const failed = terminal.device.use(() => Promise.reject(new Error('boom')), never);
    await expect(failed).rejects.toThrow('boom');
    expect([terminal.isRaw(), terminal.written().endsWith(PASTE_OFF)]).toEqual([false, true]);
  });

  test('D2: restoring twice sets it back once', async () => {
    const terminal = testTerminal();
    const { free, done } = holding(terminal);
    await terminal.settle();
    terminal.device.restore();
    const written = terminal.written();
    terminal.device.restore();
    expect([terminal.isRaw(), terminal.written()]).toEqual([false, written]);
    free();
    await done;
  });

  test('D1: E11: a second holder waits, and neither hears the keys of the other', async () => {
    const terminal = testTerminal();
    const first = holding(terminal);
    const second = holding(terminal);
    await terminal.send('a');
    first.free();
    await first.done;
    await terminal.send('b');
    second.free();
    await second.done;
    expect([keysOf(first.heard), keysOf(second.heard)]).toEqual([['a'], ['b']]);
  });

  test('D1: whoever gives up waiting does not block the next', async () => {
    const terminal = testTerminal();
    const first = holding(terminal);
    const leaving = new AbortController();
    const second = holding(terminal, leaving.signal);
    const third = holding(terminal);
    leaving.abort(new Error('no longer'));
    await expect(second.done).rejects.toThrow('no longer');
    first.free();
    await first.done;
    await terminal.send('c');
    third.free();
    await third.done;
    expect(keysOf(third.heard)).toEqual(['c']);
  });

  test('keys tell whether others came in the same read', async () => {
    const terminal = testTerminal();
    const { heard, free, done } = holding(terminal);
    await terminal.send('y');
    await terminal.send('ab');
    free();
    await done;
    expect(heard.map((event) => event.type === 'key' && event.alone)).toEqual([true, false, false]);
  });

  test('a lone Esc is told after a moment, a sequence at once', async () => {
    const terminal = testTerminal();
    const { heard, free, done } = holding(terminal);
    await terminal.send('\u001b');
    expect(keysOf(heard)).toEqual([]);
    await terminal.clock.advance(50);
    await terminal.send(KEYS.up);
    free();
    await done;
    expect(keysOf(heard)).toEqual(['escape', 'up']);
  });

  test('a character that is cut between two reads is one key', async () => {
    const terminal = testTerminal();
    const { heard, free, done } = holding(terminal);
    const bytes = Buffer.from('你');
    await terminal.sendBytes(bytes.subarray(0, 1), bytes.subarray(1));
    free();
    await done;
    expect(keysOf(heard)).toEqual(['你']);
  });

  test('D4: what was typed between two holders is dropped', async () => {
    const terminal = testTerminal();
    await terminal.device.use(() => terminal.send('xy'), never);
    const next = holding(terminal);
    await terminal.settle();
    next.free();
    await next.done;
    expect(keysOf(next.heard)).toEqual([]);
  });

  test('G28: Ctrl-Z sets the terminal back, stops, and says when it goes on', async () => {
    const terminal = testTerminal();
    const { heard, free, done } = holding(terminal);
    await terminal.send(KEYS.ctrlZ);
    expect([terminal.stops, terminal.isRaw(), keysOf(heard)]).toEqual([1, true, ['stopping', 'continued']]);
    // The signal that comes with it is the same continuation.
    await terminal.continue();
    expect(keysOf(heard)).toEqual(['stopping', 'continued']);
    await terminal.clock.advance(1000);
    await terminal.continue();
    expect(keysOf(heard)).toEqual(['stopping', 'continued', 'continued']);
    free();
    await done;
  });

  test('nobody is told of a continuation while the terminal is free', async () => {
    const terminal = testTerminal();
    await terminal.continue();
    expect([terminal.written(), terminal.isRaw()]).toEqual(['', false]);
  });

  test('another program gets the terminal as it was found', async () => {
    const terminal = testTerminal();
    const during: boolean[] = [];
    const events: string[] = [];
    await terminal.device.use(async (held) => {
      held.listen((event) => {
        events.push(event.type);
      });
      await held.handOver(async () => {
        during.push(terminal.isRaw());
        await Promise.resolve();
      });
      during.push(terminal.isRaw());
    }, never);
    expect([during, events]).toEqual([[false, true], ['continued']]);
  });

  test('the second screen is left when its holder is gone', async () => {
    const terminal = testTerminal();
    await terminal.device.use(async (held) => {
      held.alternate(true);
      await Promise.resolve();
    }, never);
    expect(terminal.written()).toContain('\u001b[?1049l');
  });

  test('D3: G26: a terminal that is gone aborts its holder, and is not touched again', async () => {
    const terminal = testTerminal();
    const gone = terminal.device.use(
      (held) =>
        new Promise((_, reject) => {
          held.signal.addEventListener('abort', () => {
            reject(held.signal.reason as Error);
          });
        }),
      never,
    );
    await terminal.settle();
    const written = terminal.written();
    terminal.close();
    await expect(gone).rejects.toThrow('the terminal is gone');
    expect(terminal.written()).toBe(written);
    await expect(terminal.device.use(() => Promise.resolve(1), never)).rejects.toThrow(
      'the terminal is gone',
    );
  });

  test('D3: an output that cannot be written is a hang-up and no exception', async () => {
    for (const failWriting of [terminalThatThrows, terminalThatTells]) {
      const { device, run } = failWriting();
      await run();
      expect(device.hungUp.aborted).toBe(true);
    }
  });

  test('without job control Ctrl-Z is no key, and without modes none are set', async () => {
    const { device, input, written } = bareTerminal();
    const heard: string[] = [];
    await device.use(async (held) => {
      held.listen((event) => {
        heard.push(event.type === 'key' ? event.key.name : event.type);
      });
      expect([held.columns, held.rows]).toEqual([80, 24]);
      input.emit('data', '\u001ax');
      await Promise.resolve();
    }, never);
    expect([heard, written.join('')]).toEqual([['x'], `${ECHO_OFF}\u001b[?2004h${PASTE_OFF}`]);
  });

  test('a size of nothing is not known, and a small one is as small as it is (A3)', async () => {
    for (const [told, size] of [
      [{ columns: 0, rows: 0 }, [80, 24]],
      [{ columns: 3, rows: 1 }, [3, 1]],
      [{ columns: 200, rows: 50 }, [200, 50]],
    ] as const) {
      const { device } = bareTerminal(told);
      expect(await device.use((held) => Promise.resolve([held.columns, held.rows]), never)).toEqual(size);
    }
  });

  test('a screen whose size changes while it is free tells nobody', async () => {
    const terminal = testTerminal();
    await terminal.resize(40, 10);
    expect(terminal.written()).toBe('');
  });

  test('a program that hands over after the terminal was set back changes nothing', async () => {
    const terminal = testTerminal();
    await terminal.device.use(async (held) => {
      terminal.device.restore();
      await held.handOver(() => Promise.resolve());
    }, never);
    expect(terminal.isRaw()).toBe(false);
  });

  test('D3: a mode that cannot be set is a hang-up and no exception', async () => {
    const terminal = testTerminal();
    terminal.failModes();
    await terminal.device.use(() => Promise.resolve(), never);
    expect(terminal.device.hungUp.aborted).toBe(true);
  });
});
