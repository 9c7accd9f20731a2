// Bytes at a question that nobody pressed to say yes: early keys, pastes, reports, halves of letters.
import fc from 'fast-check';
import { afterAll, expect } from 'vitest';

import { TerminalChannel } from '../../src/human/terminal/terminal.js';
import { plainTheme } from '../../src/human/device/theme.js';
import { bankState, openInterrupt, testTerminal } from '../human/terminal-harness.js';
import { fuzzTarget } from './fuzz.js';

const ESC = '\u001b';
const tried = { inputs: 0, approvals: 0 };

/** A question that has just been drawn, until it is stopped; whether it was approved. */
async function whileAsked(
  give: (terminal: ReturnType<typeof testTerminal>) => Promise<void>,
): Promise<boolean> {
  const terminal = testTerminal();
  const { device, clock } = terminal;
  const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;
  const channel = new TerminalChannel({ device, clock, theme: plainTheme, actor });
  const stop = new AbortController();
  let result: unknown;
  const asked = channel.ask([openInterrupt()], bankState(), stop.signal).then(
    (answer) => {
      result = answer;
    },
    () => undefined,
  );
  await terminal.settle();
  await give(terminal);
  await clock.advance(5000);
  await terminal.settle();
  stop.abort(new Error('over'));
  await terminal.settle();
  await asked;
  expect(terminal.isRaw()).toBe(false);
  const isApproved = JSON.stringify(result ?? null).includes('"restart"');
  tried.approvals += Number(isApproved);
  return isApproved;
}

const wait = fc.nat(400);
const parameters = fc.stringMatching(/^[?>]?[0-9;]{0,6}$/);

/** What a terminal says by itself, with a `y` wherever one fits. */
const report = fc.oneof(
  fc
    .tuple(parameters, fc.constantFrom('c', 'R', 'n', 't', 'u', '$y'))
    .map(([text, end]) => `${ESC}[${text}${end}`),
  fc
    .tuple(
      fc.constantFrom('52;c;', '11;', '0;', ''),
      fc.constantFrom('y', 'eQ==', 'y\ry', 'rgb:0/0/0'),
      fc.constantFrom('\u0007', `${ESC}\\`),
    )
    .map(([kind, text, end]) => `${ESC}]${kind}${text.replaceAll('\r', '')}${end}`),
  fc.constantFrom('y', '>|y', '1+r79').map((text) => `${ESC}P${text}${ESC}\\`),
  fc.tuple(fc.nat(9), fc.nat(99)).map(([button, column]) => `${ESC}[<${button};${column};1M`),
  fc.constantFrom(`${ESC}[I`, `${ESC}[O`),
);
const paste = fc
  .array(fc.constantFrom('y', '\r', '\n', 'Y', 'yes', ' ', `${ESC}[200~`, `${ESC}[A`, '😀'), { maxLength: 8 })
  .map((parts) => `${ESC}[200~${parts.join('')}${ESC}[201~`);
/** Anything but the keys of an answer: digits, marks, halves of letters and of sequences. */
const noise = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((bytes) =>
    Buffer.from(
      bytes.filter((byte) => byte !== 0x1b && !/[A-Za-z]/u.test(String.fromCharCode(byte))),
    ).toString('latin1'),
  );

fuzzTarget('keyboard', {
  'keys in the first 300 ms approve nothing, however many (F24, G30)': {
    runs: 100,
    property: () => {
      const keys = fc.array(fc.tuple(fc.nat(150), fc.constantFrom('y', 'Y', '\r', ' ', 'yy', 'y\r')), {
        minLength: 4,
        maxLength: 8,
      });
      return fc.asyncProperty(keys, async (presses) => {
        tried.inputs += presses.length;
        let at = 0;
        const isApproved = await whileAsked(async (terminal) => {
          for (const [ms, key] of presses) {
            const step = Math.min(ms, 299 - at);
            at += step;
            await terminal.clock.advance(step);
            await terminal.send(key);
          }
        });
        expect(isApproved).toBe(false);
        return true;
      });
    },
  },
  'pastes and reports approve nothing, at any time and in any pieces (F24, G30, T13)': {
    runs: 150,
    property: () => {
      const inputs = fc.array(fc.tuple(wait, fc.oneof(report, paste), fc.nat(30)), {
        minLength: 3,
        maxLength: 6,
      });
      return fc.asyncProperty(inputs, async (given) => {
        tried.inputs += given.length;
        const isApproved = await whileAsked(async (terminal) => {
          for (const [ms, text, cut] of given) {
            await terminal.clock.advance(ms);
            const bytes = Buffer.from(text);
            await terminal.sendBytes(
              bytes.subarray(0, cut % bytes.length),
              bytes.subarray(cut % bytes.length),
            );
          }
        });
        expect(isApproved).toBe(false);
        return true;
      });
    },
  },
  'bytes that are no answer approve nothing, and a resize between them changes nothing': {
    runs: 60,
    property: () =>
      fc.asyncProperty(
        fc.array(fc.tuple(wait, noise, fc.boolean()), { minLength: 3, maxLength: 6 }),
        async (given) => {
          tried.inputs += given.length;
          const isApproved = await whileAsked(async (terminal) => {
            for (const [ms, text, isResized] of given) {
              await terminal.clock.advance(ms);
              if (isResized) await terminal.resize(40 + (ms % 80), 24);
              await terminal.sendBytes(Buffer.from(text, 'latin1'));
            }
          });
          expect(isApproved).toBe(false);
          return true;
        },
      ),
  },
  'the deliberate key approves, whatever was said before it (G30)': {
    runs: 40,
    property: () =>
      fc.asyncProperty(fc.oneof(report, paste), async (before) => {
        const isApproved = await whileAsked(async (terminal) => {
          await terminal.send(before);
          await terminal.arm();
          await terminal.send('y');
          await terminal.clock.advance(100);
        });
        tried.approvals -= Number(isApproved);
        expect(isApproved).toBe(true);
        return true;
      }),
  },
});

afterAll(() => {
  process.stdout.write(
    `keyboard: ${tried.inputs} early keys, pastes, replies and other bytes, ${tried.approvals} approvals\n`,
  );
});
