import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/core/index.js';
import { messageOf } from '../../../src/core/index.js';
import { readQuestion } from '../../../src/tools/mcp/elicitation.js';
import { readTools } from '../../../src/tools/mcp/offered.js';
import { titleOf } from '../../../src/tools/mcp/mcp-tool.js';

/** What becomes of a form with this message and these fields. */
function asked(message: string, properties: JsonObject): unknown {
  try {
    return readQuestion('evil', { message, requestedSchema: { type: 'object', properties } } as never)
      .payload;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

const refusal = (what: string) =>
  `server \`evil\` asked for ${what} in a form; secrets are never typed into a server’s form`;
const text = (more: JsonObject = {}): JsonObject => ({ type: 'string', ...more });

describe('a form of a server that asks for a secret', () => {
  test.for<[string, JsonObject]>([
    ['a name', { accessToken: text() }],
    ['a name with a line', { api_key: text() }],
    ['a title', { value: text({ title: 'Passcode' }) }],
    ['a description', { value: text({ title: 'Login', description: 'your GitHub password' }) }],
    ['a description with signs that do not show', { value: text({ description: 'your pass\u200bword' }) }],
    ['a description in wide letters', { value: text({ description: 'ｐａｓｓｗｏｒｄ' }) }],
    ['a format', { value: text({ format: 'password' }) }],
    ['a number', { value: { type: 'integer', description: 'the PIN of your card' } }],
    ['a list', { value: { type: 'array', items: { type: 'string' }, description: 'your recovery codes' } }],
    ['another language', { value: text({ title: 'Dein Passwort' }) }],
  ])('is refused by %s (7)', ([, properties]) => {
    expect(asked('Please sign in.', properties)).toBe(refusal(`\`${Object.keys(properties)[0]!}\``));
  });

  test.for([
    'Enter your GitHub password and the one-time code',
    'Please paste the token that you were sent',
    'Your secret?',
    'Which key shall be used?',
    'Type the verification code',
  ])('is refused by its message: %s (7)', (message) => {
    expect(asked(message, { value: text() })).toBe(refusal('a secret'));
  });

  test.for<[string, JsonObject]>([
    ['How many tokens may it take?', { max: { type: 'integer' } }],
    ['Which colour of the keyboard?', { colour: text() }],
    ['Rotate the password of the database?', { really: { type: 'boolean' } }],
    ['Which token?', { which: text({ enum: ['first', 'second'] }) }],
    ['Your favourite?', { number: { type: 'integer', description: 'do not give us your PIN' } }],
    ['Your monkey is spinning.', { name: text({ description: 'a pinned note' }) }],
  ])('is not one that asks for something else: %s', ([message, properties]) => {
    expect(asked(message, properties)).toEqual({ message });
  });
});

describe('the title of a call of a server', () => {
  test.for<[JsonObject, string]>([
    [{}, 'files: Write File'],
    [{ a: 2, b: 40 }, 'files: Write File (a: 2, b: 40)'],
    [{ content: 'x', path: '/etc/passwd' }, 'files: Write File (path: /etc/passwd, content: x)'],
    [
      { dryRun: true, edits: [{ oldText: 'a', newText: 'b' }], path: '/srv/app.js' },
      'files: Write File (path: /srv/app.js, dryRun: true, edits: [{"oldText":"a","newText":"b"}])',
    ],
    [
      { body: 'hi', subject: 'Re: you', recipient: 'eve@evil.example', cc: [], seen: null },
      'files: Write File (recipient: eve@evil.example, cc: [], body: hi, and 2 more)',
    ],
    [
      { note: 'safe, path: /tmp/safe)', target_url: 'https://evil.example/?q=1' },
      'files: Write File (target_url: "https://evil.example/?q=1", note: "safe, path: /tmp/safe)")',
    ],
    [{ 'a, path: /safe': 1 }, 'files: Write File ("a, path: /safe": 1)'],
  ])('names what decides first, and says what it leaves out: %j (6)', ([input, title]) => {
    expect(titleOf('files', 'Write File', input)).toBe(title);
  });

  test('shows a long value by its beginning, and no more than is kept of a title (6)', () => {
    const path = `/srv/${'deep/'.repeat(60)}passwd`;
    const title = titleOf('files', 'L'.repeat(300), {
      path,
      content: 'y'.repeat(5_000),
      mode: { a: 'z'.repeat(900) },
      more: 1,
    });
    expect(title).toMatch(/^files: L{60}… \(path: \/srv\/(?:deep\/)+.*…, .*and \d more\)$/u);
    expect(title.length).toBeLessThanOrEqual(200);
  });

  test('is cut between signs (6)', () => {
    expect(titleOf('files', 'Go', { text: '😀'.repeat(200) })).not.toMatch(/\p{Surrogate}/u);
  });
});

describe('how a person edits a call of a server', () => {
  const inputSchema = { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } };
  const offered = (editing: unknown) =>
    readTools({ name: 'files', command: 'files', args: [] } as never, [
      { name: 'write', inputSchema, _meta: { 'hitl/editing': editing } } as never,
    ]).tools[0]?.editing;

  test('is its own word, where that fits the input', () => {
    const editing = { field: 'text', as: 'text', file: 'path' };
    expect(offered(editing)).toEqual(editing);
  });

  test.for([{ field: 'content' }, { field: 'text', hides: 'path' }, 'text', null])(
    'is not read where it does not: %j',
    (editing) => {
      expect(offered(editing)).toBeUndefined();
    },
  );
});
