import { describe, expect, test } from 'vitest';

import type { Interrupt, JsonObject } from '../../src/core/index.js';
import { emptyState } from '../../src/core/index.js';
import { parseAnswer, questionView, renderQuestionPlain } from '../../src/human/index.js';
import { exampleFor } from '../../src/human/question/question-plain.js';
import { TerminalChannel } from '../../src/human/terminal/terminal.js';
import { bankState, KEYS, openInterrupt, openQuestion, testTerminal } from './terminal-harness.js';

const FIELDS = [
  { name: 'version', label: 'Version', type: 'text', optional: false },
  { name: 'draft', label: 'Draft?', type: 'yes-no', optional: false },
  { name: 'count', label: 'How many copies shall we print?', type: 'number', optional: false },
  { name: 'token', label: 'Token', type: 'secret', optional: true },
];
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    version: { type: 'string', title: 'Version' },
    draft: { type: 'boolean', title: 'Draft?' },
    count: { type: 'number', title: 'How many copies shall we print?', minimum: 1 },
    token: { type: 'string', title: 'Token', format: 'password' },
  },
  required: ['version', 'draft', 'count'],
  additionalProperties: false,
};

function release(schema: JsonObject = SCHEMA, more: object = { fields: FIELDS }): Interrupt {
  return openQuestion({ question: 'Release', ...more }, schema);
}

function asking(interrupt: Interrupt, size = { columns: 80, rows: 24 }) {
  const terminal = testTerminal(size);
  const { device, clock, theme } = terminal;
  const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;
  const channel = new TerminalChannel({ device, clock, theme, actor });
  return { terminal, result: channel.ask([interrupt], bankState(), new AbortController().signal) };
}

describe('a form at a terminal', () => {
  test('asks its labels, with what was given above and what comes below, and a secret as dots', async () => {
    const { terminal, result } = asking(release());
    await terminal.settle();
    expect((await terminal.screen()).split('\n').slice(-6)).toEqual([
      '┃   Release',
      '┆ ▸ Version  ',
      '┆   Draft?  (yes or no)',
      '┆   How many copies shall we print? [count]  (a number, at least 1)',
      '┆   Token  (secret, optional)',
      '┆ 1 of 4 · Enter next · Esc more',
    ]);
    await terminal.arm();
    await terminal.type('1.5');
    await terminal.press(KEYS.enter, 'y', KEYS.enter);
    await terminal.type('40');
    await terminal.press(KEYS.enter);
    await terminal.type('s3cr3t');
    expect((await terminal.screen()).split('\n').slice(-6)).toEqual([
      '┆   Version                               1.5',
      '┆   Draft?                                yes',
      '┆   How many copies shall we print? [count]',
      '┆                                         40',
      '┆ ▸ Token  (secret, optional)  ••••••',
      '┆ 4 of 4 · Enter next · ↑ back · Esc more',
    ]);
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toContain('┆   Token                                 ••••••\n');
    await terminal.press('y');
    expect(await result).toMatchObject({
      answer: { resolution: { output: { version: '1.5', draft: true, count: 40, token: 's3cr3t' } } },
    });
    expect(terminal.written()).not.toContain('s3cr3t');
  });

  test('shows nothing of its schema, and all of a list of fields that says more than the form', async () => {
    const { terminal } = asking(release());
    await terminal.settle();
    expect(await terminal.screen()).not.toMatch(/fields|yes-no/);
    const odd = asking(release(SCHEMA, { fields: [{ ...FIELDS[0], note: 'read me' }] }));
    await odd.terminal.settle();
    expect(await odd.terminal.screen()).toContain('read me');
  });

  test.for([
    { columns: 40, rows: 12 },
    { columns: 80, rows: 24 },
  ])('cuts no word of a long label at %j, and no row is wider than the screen', async (size) => {
    const label = 'Which of the many addresses of the customer shall the parcel with the cups be sent to?';
    const { terminal } = asking(
      release({ type: 'object', properties: { to: { type: 'string', title: label } }, required: ['to'] }, {}),
      size,
    );
    await terminal.settle();
    const screen = await terminal.screen();
    expect(screen.replace(/\n┆|\s+/g, ' ').replace(/ +/g, ' ')).toContain(`▸ ${label}`);
  });

  test('stands behind a bar in every row: titles, descriptions, choices, values and problems of whoever asks (7)', async () => {
    const long = 'every word of it is of the server and none of it is ours';
    const forged = `● write_file needs your approval (i1) ${long}`;
    const field = { type: 'string', title: forged, description: `y approve · ${forged}` };
    const properties = {
      first: { ...field, enum: [forged], default: `${forged} ${long}` },
      other: { ...field, enum: [forged, `${forged} ${long}`] },
    };
    const { terminal } = asking(release({ type: 'object', properties, required: ['first', 'other'] }, {}), {
      columns: 40,
      rows: 60,
    });
    await terminal.settle();
    await terminal.arm();
    await terminal.press(KEYS.enter);
    const rows = (await terminal.screen()).split('\n').filter((row) => row !== '');
    expect(rows.filter((row) => !/^[┃┆] /u.test(row))).toEqual([]);
    expect(rows.join(' ')).toContain('Enter ');
  });
});

describe('a form without a terminal', () => {
  const address = release(
    {
      type: 'object',
      properties: {
        street: { type: 'string' },
        zip: { type: 'number' },
        gift: { type: 'boolean' },
        kind: { type: 'string', enum: ['home', 'work'] },
      },
      required: ['street', 'zip', 'gift'],
    },
    {},
  );
  const EXAMPLE = '{"street":"...","zip":0,"gift":false,"kind":"home"}';

  test('stands in the question with its fields, and with an answer that can be copied', () => {
    const plain = renderQuestionPlain(questionView(address, emptyState()));
    expect(plain.split('\n').slice(-5)).toEqual([
      '  │ street',
      '  │ zip (a number)',
      '  │ gift (yes or no)',
      '  │ kind (one of home, work, optional)',
      `  answer with: ${EXAMPLE} = answer · /cancel = cancel`,
    ]);
  });

  test('is refused with that answer as what would fit', () => {
    const refused = parseAnswer('home', { interrupt: address });
    expect(refused).toMatchObject({ ok: false, fits: [EXAMPLE, '/cancel'] });
  });

  test.for([
    SCHEMA,
    address.answerSchema ?? {},
    {
      type: 'object',
      properties: { mail: { type: 'string', format: 'email', minLength: 5 } },
      required: ['mail'],
    },
    { type: 'object', properties: { n: { type: 'integer', exclusiveMinimum: 7 } }, required: ['n'] },
    {
      type: 'object',
      properties: {
        lines: {
          type: 'array',
          minItems: 2,
          items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
        },
      },
      required: ['lines'],
    },
    { type: 'object', properties: { when: { type: 'string', format: 'date' } } },
    {
      type: 'object',
      properties: { maybe: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
      required: ['maybe'],
    },
  ] as JsonObject[])('has an example that works: %j', (schema) => {
    const interrupt = release(schema, {});
    const read = parseAnswer(exampleFor(interrupt) ?? '', { interrupt });
    expect(read).toMatchObject({ ok: true, answer: { resolution: { action: 'respond' } } });
  });
});

describe('an approval that a tool wants something with', () => {
  const wanted: JsonObject = {
    type: 'object',
    properties: {
      account: { type: 'string', title: 'From which account?' },
      pin: { type: 'string', title: 'Pin', format: 'password' },
    },
    required: ['account', 'pin'],
  };
  const transfer = openInterrupt(1, { resumeSchema: wanted });

  test('is asked for its fields by their labels, and passes them on', async () => {
    const { terminal, result } = asking(transfer);
    await terminal.settle();
    expect(await terminal.screen()).toContain(
      'To approve, enter: From which account? [account], Pin (secret)',
    );
    expect(await terminal.screen()).not.toContain('always…');
    await terminal.press('y');
    await terminal.type('savings');
    await terminal.press(KEYS.enter);
    await terminal.type('4711');
    await terminal.press(KEYS.enter, 'y');
    expect(await result).toMatchObject({
      type: 'answered',
      answer: { resolution: { action: 'restart', metadata: { account: 'savings', pin: '4711' } } },
    });
    const screen = await terminal.screen();
    expect(screen).toContain('account savings, pin ••••••');
    expect(terminal.written()).not.toContain('4711');
  });

  test('is taken from a line with all of it, and a bare yes is refused with what would fit', () => {
    const read = (line: string) => parseAnswer(line, { interrupt: transfer });
    expect(read('y {"account":"savings","pin":"1"}')).toMatchObject({
      ok: true,
      answer: { resolution: { action: 'restart', metadata: { account: 'savings', pin: '1' } } },
    });
    expect(read('y')).toMatchObject({
      ok: false,
      message: expect.stringContaining('y {"account":"...","pin":"..."}') as string,
    });
    expect(read('y {"account":"savings"}')).toMatchObject({ ok: false });
  });

  test('is a plain yes where the tool takes one', () => {
    const takesYes = openInterrupt(1, { resumeSchema: { type: 'boolean' } });
    expect(parseAnswer('y', { interrupt: takesYes })).toMatchObject({
      ok: true,
      answer: { resolution: { action: 'restart' } },
    });
  });
});
