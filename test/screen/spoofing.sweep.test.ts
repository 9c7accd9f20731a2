// The built program in a real terminal, with hostile texts in every place where text from outside is shown.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { scriptModel } from '../helpers/tool-module.js';
import { hostileTexts, longSampleTexts, sampleTexts, wordsOf } from './hostile-texts.js';
import { WatchedTerminal } from './watched-terminal.js';

const TOGETHER = 5;
/** The time for which a screen stands still before it is read. */
const STILL_MS = 150;
/** A screen that a long text does not fit. */
const SMALL = { cols: 80, rows: 24 };

/** A module with a tool that asks and gives back what it got, and one that fails with it. */
function toolModule(home: Home): string {
  const file = join(home.path, 'tools.mjs');
  writeFileSync(
    file,
    `const input = { type: 'object', additionalProperties: true };
export const show = {
  name: 'show', description: 'Shows.', input, effect: 'none',
  execute: async (given, context) => {
    if (context.resumed === undefined) return context.interrupt({ reason: Object.values(given).join(' ') });
    return given;
  },
};
export const fail = {
  name: 'fail', description: 'Fails.', input, effect: 'none',
  execute: async ({ why }) => { throw new Error(why); },
};
`,
  );
  return file;
}

/** Texts as members of an object: as values, and as a key. */
function asInput(texts: readonly string[]): object {
  return Object.fromEntries(
    texts.flatMap((text, index) => [
      [`f${index}`, text],
      [text, index],
    ]),
  );
}

function scriptOf(texts: readonly string[]): readonly object[] {
  const [first = ''] = texts;
  return [
    {
      text: texts.join('\n\n'),
      tools: [
        { name: 'fail', input: { why: texts.join(' ; ') }, ref: 'failed' },
        { name: first, input: {}, ref: 'unknown' },
        { name: 'read_file', input: { path: first }, ref: 'file' },
        { name: 'show', input: asInput(texts), ref: 'shown' },
      ],
    },
    {
      text: 'A question.',
      tools: [
        {
          name: 'ask_user',
          input: { question: texts.join(' ? '), choices: [...texts, 'plain'] },
          ref: 'asked',
        },
      ],
    },
  ];
}

/** Screen text without its layout: where a row was broken, and what the product drew before it, does not matter. */
function squeezed(rows: readonly string[]): string {
  return rows.join('').replace(/[\s│┃┆]+/g, '');
}

function missing(rows: readonly string[], texts: readonly string[]): readonly string[] {
  const seen = squeezed(rows);
  return texts.flatMap(wordsOf).filter((word) => !seen.includes(word));
}

/** Rows that begin at column 0 with what a text has behind one of its line breaks: there the product alone speaks. */
function forged(rows: readonly string[], texts: readonly string[]): readonly string[] {
  const starts = texts
    .flatMap((text) => text.split(/[\n\r\u0085\u2028\u2029]/).slice(1))
    .map((line) => line.slice(0, 8))
    .filter((start) => wordsOf(start).length > 0);
  return rows.filter((row) => starts.some((start) => row.startsWith(start)));
}

async function showAll(texts: readonly string[]): Promise<void> {
  using home = new Home();
  const model = scriptModel(home, scriptOf(texts));
  const title = texts.join(' ').replaceAll('\0', '');
  using chat = new WatchedTerminal(home, ['chat', title, '--model', model, '--tools', toolModule(home)]);
  await chat.until('Approve this call?');
  const asked = await chat.rows();
  const question = asked.slice(asked.findIndex((row) => /^┃ show(?: |$)/u.test(row)));
  expect({ missing: missing(question, texts), forged: forged(question, texts) }).toEqual({
    missing: [],
    forged: [],
  });
  expect(await chat.surprises()).toEqual([]);
  await chat.press('y');
  await chat.until('Your choice:');
  const rows = await chat.rows();
  const choosing = rows.slice(rows.findLastIndex((row) => row.startsWith('┃ The model asks')));
  expect({ missing: missing(choosing, texts), forged: forged(choosing, texts) }).toEqual({
    missing: [],
    forged: [],
  });
  await chat.press('\u0003');
  await chat.press('\u0003');
  await chat.ended;
  expect(await chat.surprises()).toEqual([]);
  for (const args of [
    ['show', home.id],
    ['show', home.id, '--events'],
    ['inbox'],
    ['list'],
    ['resume', home.id, '--no-input'],
  ])
    await expectHarmless(home, args);
}

async function expectHarmless(home: Home, args: readonly string[]): Promise<void> {
  using terminal = new WatchedTerminal(home, args);
  await terminal.ended;
  expect({ args, surprises: await terminal.surprises() }).toEqual({ args, surprises: [] });
  expect((await terminal.rows()).length).toBeGreaterThan(0);
}

function groups(texts: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(texts.length / TOGETHER) }, (_, index) =>
    texts.slice(index * TOGETHER, (index + 1) * TOGETHER),
  );
}

describe.skipIf(process.platform === 'win32')('G31: texts from outside on a real screen', () => {
  test.for([
    ['a title', '\u001b]2;x\u0007'],
    ['a question to the terminal', '\u001b[6n'],
    ['another screen', '\u001b[?1049h'],
    ['a C1 control', '\u009b2J'],
    ['a bidi mark', 'a\u202eb'],
    ['a bell', '\u0007'],
    ['a hidden text', 'a\u001b]8;;http://a.example\u001b\\b'],
  ] as const)('%s would be noticed', async ([, text]) => {
    using home = new Home();
    using terminal = new WatchedTerminal(home, ['-e', `process.stdout.write(${JSON.stringify(text)})`]);
    await terminal.ended;
    expect(await terminal.surprises()).not.toEqual([]);
  });

  const samples = sampleTexts();
  if (samples.length === 0) process.stdout.write('the samples of the display contract are absent: skipped\n');

  test.skipIf(samples.length === 0).for(groups(samples).map((texts, index) => ({ index, texts })))(
    'samples, group $index: every word is there, no frame is broken, the terminal is told nothing',
    async ({ texts }) => showAll(texts),
  );

  const long = longSampleTexts();
  test.skipIf(long.length === 0).for(long.map((text, index) => ({ index, text })))(
    'long sample $index: its head is there, and nothing runs before all of it to its tail was on the screen',
    async ({ text }) => {
      using home = new Home();
      const model = scriptModel(home, [
        { tools: [{ name: 'show', input: { command: text } }] },
        { text: 'It ran.', when: { toolResult: { tool: 'show' } } },
      ]);
      using chat = new WatchedTerminal(
        home,
        ['chat', 'go', '--model', model, '--tools', toolModule(home)],
        SMALL,
      );
      await chat.until('Approve this call?');
      const rows = await chat.rows();
      expect(missing(rows, [text.slice(0, 9)])).toEqual([]);
      expect(rows.join('\n')).toMatch(/warning: [^]*check the end/);
      await chat.press('y');
      await chat.wrote('y read on');
      expect(home.events().map(({ type }) => type)).not.toContain('interrupt-resolved');
      for (let pages = 0; pages < 60 && !(await isAllSeen(chat)); pages += 1) await chat.press(' ');
      expect(missing(await chat.rows(), [text.slice(-4)])).toEqual([]);
      await chat.press('y');
      await chat.wrote('It ran.');
      await chat.press('\u0004');
      await chat.ended;
      // The product's own pager is another screen; a title or a reply would be the text's.
      const surprises = await chat.surprises();
      expect(surprises.filter((one) => /replied|title|rang/.test(one))).toEqual([]);
    },
  );

  test.for(groups(hostileTexts(20, 31)).map((texts, index) => ({ index, texts })))(
    'made ones, group $index: every word is there, no frame is broken, the terminal is told nothing',
    async ({ texts }) => showAll(texts),
  );
});

/** True when every row of the question has been on the screen. */
async function isAllSeen(chat: WatchedTerminal): Promise<boolean> {
  // A frame that is half drawn has no hint yet: what is read is a screen that has stood still.
  const before = (await chat.rows()).join('\n');
  await pause(STILL_MS);
  const rows = await chat.rows();
  const isStill = rows.join('\n') === before && rows.slice(-3).join('\n').includes('Approve this call?');
  return isStill && !rows.slice(-6).join('\n').includes('left to read');
}
