// What a person sees and can do while a reviewer looks at a call.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { whyNoSandbox } from '../attention/play.js';
import { echo, LOW, Reviewed } from '../helpers/reviewed.js';
import { Terminal } from '../helpers/terminal.js';
import { isRunning } from '../tools/builtin/builtin.js';

const holdsNot = await whyNoSandbox();

/** Ways to think for a minute: the reviewer itself, and a program that it started. */
const SLEEPS = ['exec sleep 60', 'echo $$ > "$0.pid"; sleep 60 & echo $! > "$0.child"; wait'] as const;
const [ITSELF, IN_A_CHILD] = SLEEPS;
/** Less than the reviewer takes, and than it is given. */
const SOON_MS = 8_000;

function opened(home: Reviewed, texts?: readonly string[]): Terminal {
  return new Terminal(home, home.words(['pay ann'], texts), { PWD: home.work });
}

/** Ends the session at its prompt; fails if that takes as long as the reviewer would. */
async function leaves(terminal: Terminal): Promise<number> {
  const since = Date.now();
  await terminal.press('\u0004');
  const status = await terminal.ended;
  expect(Date.now() - since).toBeLessThan(SOON_MS);
  return status;
}

describe.skipIf(holdsNot !== undefined || process.platform === 'win32')(
  'while a reviewer looks at a call',
  { timeout: 60_000 },
  () => {
    test('one row says so, and what Esc does', async () => {
      using home = new Reviewed();
      home.reviewBy('sleep 3', echo(LOW));
      using terminal = opened(home);
      await terminal.until(/waiting for reviewer .*policy · \d s · Esc asks you\n/u);
      expect(terminal.shown).not.toContain('Esc stops');
      expect(terminal.shown.split('\n').at(-1)).toMatch(/^auto · /u);
      await terminal.until('done');
      expect(terminal.shown).toMatch(/✓ pay {2}ann, 2 {2}\(allowed by reviewer .*policy\)\n/u);
      await terminal.until('1 to review');
      expect(await leaves(terminal)).toBe(0);
      expect(home.pay.paid()).toEqual([{ to: 'ann', amount: 2 }]);
    });

    test.for([
      ['Esc', '\u001b', ITSELF],
      ['Ctrl-C', '\u0003', ITSELF],
      ['Esc', '\u001b', IN_A_CHILD],
    ] as const)('%s asks the person at once, and the run goes on: %s', async ([, key, sleep]) => {
      using home = new Reviewed();
      home.reviewBy(sleep);
      using terminal = opened(home);
      await terminal.until('Esc asks you');
      const since = Date.now();
      await terminal.press(key);
      await terminal.until('Approve this call?');
      expect(Date.now() - since).toBeLessThan(SOON_MS);
      expect(terminal.shown).toContain('not reviewed: stopped by the user');
      await terminal.press('y');
      await terminal.until('done');
      expect(home.reviews).toMatchObject([{ outcome: { type: 'failed', failure: 'stopped' } }]);
      expect(home.pay.paid()).toEqual([{ to: 'ann', amount: 2 }]);
      await terminal.until('\n>');
      expect(await leaves(terminal)).toBe(0);
      expect(home.events().flatMap(({ type, reason }) => (type === 'run-ended' ? [reason] : []))).toEqual([
        { type: 'done' },
      ]);
    });

    test('what it started ends with it', async () => {
      using home = new Reviewed();
      home.reviewBy(IN_A_CHILD);
      using terminal = opened(home);
      await terminal.until('Esc asks you');
      const child = Number(readFileSync(join(home.beside, 'policy.child'), 'utf8'));
      await terminal.press('\u001b');
      await terminal.until('Approve this call?');
      while (isRunning(child)) await pause(20);
      await terminal.press('n', '\r');
      await terminal.until('done');
    });

    test('a message that is entered meanwhile stays queued, and is sent after the answer', async () => {
      using home = new Reviewed();
      home.reviewBy(ITSELF);
      using terminal = opened(home, ['done', 'heard']);
      await terminal.until('Esc asks you');
      expect(terminal.shown.split('\n').at(-1)).not.toContain('waits');
      terminal.type('and then thank her');
      await terminal.until('queued 1');
      await terminal.press('\u001b');
      await terminal.until('Approve this call?');
      await terminal.press('y');
      await terminal.until('heard');
      const said = home
        .events()
        .flatMap(({ type, message }) => (type === 'message-added' ? [message as { role: string }] : []))
        .filter(({ role }) => role === 'user');
      expect(said).toMatchObject([
        { content: [{ text: 'pay ann' }] },
        { content: [{ text: 'and then thank her' }] },
      ]);
    });

    test('a second Ctrl-C at the question loses nothing', async () => {
      using home = new Reviewed();
      home.reviewBy(ITSELF);
      using terminal = opened(home);
      await terminal.until('Esc asks you');
      await terminal.press('\u0003');
      await terminal.until('Approve this call?');
      await terminal.press('\u0003');
      await terminal.until('⏸ waiting');
      await terminal.press('\t');
      await terminal.until('Approve this call?');
      await terminal.press('y');
      await terminal.until('done');
      expect(home.pay.paid()).toEqual([{ to: 'ann', amount: 2 }]);
    });
  },
);
