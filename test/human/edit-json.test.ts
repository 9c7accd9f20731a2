import { existsSync, openSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { EditForm, JsonObject, JsonValue } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import { differenceLines, differences } from '../../src/human/difference/json-difference.js';
import type { TextEditor } from '../../src/human/edit-json/editor.js';
import { editorOf } from '../../src/human/edit-json/editor.js';
import { readField } from '../../src/human/answer/json-fields.js';
import { formFields } from '../../src/human/question/form-fields.js';
import { editBody, editFileText, readEditFile } from '../../src/human/edit-json/file.js';
import type { ChangeRequest, EditRequest } from '../../src/human/edit-json/edit-json.js';
import { changeValue, editJson } from '../../src/human/edit-json/edit-json.js';
import type { FormDraft } from '../../src/human/prompt/ask-text.js';
import { KEYS, testTerminal, transferMoney } from './terminal-harness.js';

/** Where nothing is read and nothing shows. */
const quiet = openSync(devNull, 'r+');
const never = new AbortController().signal;

function lines(before: JsonValue, after: JsonValue): readonly string[] {
  return differenceLines(differences(before, after)).map(({ gutter, text }) => gutter + text);
}

describe('the difference of an edit', () => {
  test('names each place, with what was there and what is there', () => {
    const before = { to: 'Ann', amount: 200, tags: ['a', 'b'], at: { city: 'Rome' }, gone: true };
    const after = { to: 'Ann', amount: 150, tags: ['a', 'c', 'd'], at: { city: 'Oslo' }, note: null };
    expect(lines(before, after)).toEqual([
      '│ - amount: 200',
      '│ + amount: 150',
      '│ - tags[2]: b',
      '│ + tags[2]: c',
      '│ + tags[3]: d',
      '│ - at.city: Rome',
      '│ + at.city: Oslo',
      '│ - gone: true',
      '│ + note: null',
    ]);
  });

  test.for([0, '', false, null, []] as JsonValue[])('sees %j as a value', (value) => {
    expect(lines({ a: 1 }, { a: 1, b: value })).toHaveLength(1);
    expect(lines({ b: value }, {})).toHaveLength(1);
  });

  test('sees a change of type, also of the whole', () => {
    expect(lines({ a: '1' }, { a: 1 })).toEqual(['│ - a: "1"', '│ + a: 1']);
    expect(lines([1], { a: 1 })).toEqual(['│ - [1]', '│ + {"a":1}']);
  });

  test('is empty for equal values, whatever the order of their keys', () => {
    expect(differences({ a: 1, b: [2] }, { b: [2], a: 1 })).toEqual([]);
  });

  test('G31: escapes keys and values', () => {
    expect(lines({}, { 'x\u001b[2J': 'a\rb\u202e' })).toEqual(['│ + "x\\u{1B}[2J": a\\u{D}b\\u{202E}']);
  });

  test('G31: escapes what is shown as JSON', () => {
    expect(lines({}, { list: ['\u202e\u001b'] })).toEqual(['│ + list: ["\\u202e\\u001b"]']);
  });

  test('of long texts shows where they differ, and how much is the same', () => {
    const before = `${'a'.repeat(500)}OLD${'z'.repeat(700)}`;
    const after = `${'a'.repeat(500)}NEW${'z'.repeat(700)}`;
    const same = '⋯ 460 unchanged characters ⋯';
    expect(lines(before, after)).toEqual([
      `│ - ${same} “${'a'.repeat(40)}OLD${'z'.repeat(40)}” ⋯ 660 unchanged characters ⋯`,
      `│ + ${same} “${'a'.repeat(40)}NEW${'z'.repeat(40)}” ⋯ 660 unchanged characters ⋯`,
    ]);
  });

  test('is empty only for equal values', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (left, right) => {
        const [before, after] = [JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right))];
        expect(differences(before, before)).toEqual([]);
        const canonical = (value: unknown) => JSON.stringify(differences(value as JsonValue, {}));
        if (canonical(before) !== canonical(after)) expect(differences(before, after)).not.toEqual([]);
      }),
    );
  });
});

describe('a field of a form', () => {
  const read = (schema: JsonObject, text: string, required = true, current?: JsonValue) =>
    readField({ schema, required }, text, current);

  test.for([
    [{ type: 'string' }, '12', '12'],
    [{ type: 'string' }, '""', ''],
    [{ type: 'string' }, 'null', 'null'],
    [{ type: ['string', 'null'] }, 'null', null],
    [{ type: 'number' }, '12.5', 12.5],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'boolean' }, 'y', true],
    [{ type: 'boolean' }, 'No', false],
    [{ type: 'string' }, 'yes', 'yes'],
    [{ type: 'array' }, '[1, 2]', [1, 2]],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] } }, 'c, a', ['c', 'a']],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] } }, '["b"]', ['b']],
    [{ type: 'array', items: { anyOf: [{ const: 'h1', title: 'Superman' }] } }, 'Superman', ['h1']],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'abc', 'abc'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, '5', 5],
    [{ enum: ['a', 'b'] }, 'a', 'a'],
    [{ enum: [1, 2] }, '2', 2],
    [{ enum: ['p1', 'p2'], enumNames: ['Cat', 'Dog'] }, 'Dog', 'p2'],
    [{ enum: [true, null, 'x'] }, 'null', null],
    [{ enum: [true, 'x'] }, 'yes', true],
    [
      {
        oneOf: [
          { const: 1, title: 'One' },
          { const: 2, title: 'Two' },
        ],
      },
      'Two',
      2,
    ],
    [{ enum: ['home', 'work'] }, '2', 'work'],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] } }, '3, a', ['c', 'a']],
    // A digit in a choice could be taken for a number.
    [{ enum: ['red, 2 green', 'blue'] }, '2', '2'],
    [{ enum: [10, 2] }, '2', 2],
    [{}, '{"a":1}', { a: 1 }],
    [{}, 'words', 'words'],
  ] as const)('of schema %j reads %j as %j', ([schema, text, value]) => {
    expect(read(schema as JsonObject, text)).toEqual({ type: 'value', value });
  });

  test('that is empty has no value where it may be left out, and cannot be read where it may not', () => {
    expect(read({ type: 'string' }, '', false)).toEqual({ type: 'absent' });
    expect(read({ type: 'string' }, '')).toMatchObject({ type: 'unreadable' });
    expect(read({ type: 'string' }, '', true, '')).toEqual({ type: 'value', value: '' });
  });

  test('says what it expects', () => {
    const list = { type: 'array', items: { enum: ['a', 'b'] } };
    expect(read(list, 'a, x')).toMatchObject({
      why: 'Enter comma-separated: 1 a, 2 b',
    });
    expect(read({ type: 'number', minimum: 1 }, '')).toEqual({
      type: 'unreadable',
      why: 'Required. Enter a number, at least 1',
    });
    expect(read({ enum: ['home', 'work'] }, '')).toEqual({
      type: 'unreadable',
      why: 'Required. Enter one of 1 home, 2 work',
    });
    expect(read({ type: 'string' }, '')).toEqual({
      type: 'unreadable',
      why: 'Required. Enter "" for an empty string.',
    });
    expect(read({ type: 'integer' }, 'abc')).toEqual({ type: 'unreadable', why: 'Enter a whole number' });
    expect(read({ type: 'array' }, '[1,')).toMatchObject({
      why: expect.stringMatching(/^Enter a JSON array, for example \["a", "b"\]; invalid JSON: /),
    });
  });

  test('stands for each property, and for each member that the schema does not name', () => {
    const fields = formFields(transferMoney.inputSchema, { amount: 1, extra: true });
    expect(fields.map(({ key, required }) => [key, required])).toEqual([
      ['toAccount', true],
      ['amount', true],
      ['extra', false],
    ]);
    expect(formFields({}, { a: 1 })).toEqual([{ key: 'a', schema: {}, required: false }]);
    expect(formFields({ properties: { a: true } }, {})).toEqual([{ key: 'a', schema: {}, required: false }]);
    expect(formFields({ type: 'string' }, 'x')).toEqual([{ schema: { type: 'string' }, required: true }]);
  });
});

describe('a file to edit', () => {
  test('holds title, problems and schema as comments, and the value between them', () => {
    const text = editFileText(editBody({ a: 1 }), {
      title: 'the input of x',
      schema: { type: 'object' },
      problems: ['a: too small'],
    });
    expect(text).toBe(
      [
        '// the input of x',
        '// Save and close to continue. An empty file cancels. Lines starting with // are ignored.',
        '//',
        '// Not valid yet:',
        '//   a: too small',
        '',
        '{',
        '  "a": 1',
        '}',
        '',
        '// Schema:',
        '// {',
        '//   "type": "object"',
        '// }',
        '',
      ].join('\n'),
    );
  });

  test('gives back any value, also one with comments in its texts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as JsonValue;
        fc.pre(!JSON.stringify(json).includes('__proto__')); // refused, as it should be
        const wrapped = { value: json, note: '// not a comment\n// at all' };
        const text = editFileText(editBody(wrapped), { title: 't', schema: {}, problems: ['p'] });
        expect(readEditFile(text.replaceAll('\n', '\r\n'))).toEqual({ ok: true, value: wrapped });
      }),
    );
  });

  test('may have no schema, and a byte order mark', () => {
    const text = editFileText(editBody([]), { title: 't', problems: [] });
    expect(text).not.toContain('schema');
    expect(readEditFile(`\uFEFF${text}`)).toEqual({ ok: true, value: [] });
  });

  test('that is empty but for comments gives up', () => {
    expect(readEditFile('// x\n\n  // y\n')).toBeUndefined();
  });

  test('with a key twice is refused', () => {
    expect(readEditFile('{"a":1,"a":2}')).toMatchObject({ ok: false });
  });
});

describe('an editor', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hitl-test-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const editor = (env: Record<string, string>): TextEditor | undefined =>
    editorOf({ env, tempDir: folder, stdio: [quiet, quiet] });

  test('is $VISUAL before $EDITOR, or none', () => {
    expect(editor({ VISUAL: 'a', EDITOR: 'b' })?.name).toBe('a');
    expect(editor({ VISUAL: ' ', EDITOR: 'b' })?.name).toBe('b');
    expect(editor({})).toBeUndefined();
  });

  test('G32: edits a file that only its owner may read, and leaves nothing behind', async () => {
    const script = join(folder, 'edit.sh');
    await writeFile(
      script,
      `ls -ln "$2" > ${folder}/mode; ls -ldn "$(dirname "$2")" >> ${folder}/mode; echo "$1" >> "$2"\n`,
    );
    expect(await editor({ EDITOR: `sh ${script} added` })?.edit('text\n', never)).toBe('text\nadded\n');
    const mode = await readFile(join(folder, 'mode'), 'utf8');
    expect(mode.split('\n').map((line) => line.slice(0, 10))).toEqual(['-rw-------', 'drwx------', '']);
    expect((await readdir(folder)).sort()).toEqual(['edit.sh', 'mode']);
  });

  test('is stopped when the question is withdrawn, and nothing is left', async () => {
    const leaving = new AbortController();
    const edited = editor({ EDITOR: 'sleep 60 #' })?.edit('x', leaving.signal);
    leaving.abort(new Error('withdrawn'));
    await expect(edited).rejects.toBeInstanceOf(Error);
    expect(await readdir(folder)).toEqual([]);
  });

  test('that fails or does not exist is an error with a hint, and nothing is left', async () => {
    await expect(editor({ EDITOR: 'false' })?.edit('x', never)).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.any(String),
    });
    await expect(editor({ EDITOR: 'kill -9 $$ #' })?.edit('x', never)).rejects.toThrow('exited with SIGKILL');
    await expect(editor({ EDITOR: '/does/not/exist' })?.edit('x', never)).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect([await readdir(folder), existsSync(folder) && statSync(folder).isDirectory()]).toEqual([[], true]);
  });
});

describe('editing', () => {
  const value = { toAccount: 'ABC123', amount: 200 };

  function editing(changes: Partial<EditRequest> = {}, terminal = testTerminal()) {
    const result = terminal.device.use(
      (held) =>
        editJson(
          { terminal: held, clock: terminal.clock, theme: terminal.theme, leave: () => undefined },
          {
            value,
            schema: transferMoney.inputSchema,
            title: 'the input of transferMoney',
            verb: 'run it with this input',
            unchangedVerb: 'run it as it is',
            validate: () => [],
            ...changes,
          },
        ),
      never,
    );
    return { terminal, result };
  }

  test('field by field: shows the difference, and returns it only after a key', async () => {
    const { terminal, result } = editing();
    await terminal.press(KEYS.enter, KEYS.ctrlU);
    await terminal.type('150');
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toBe(
      [
        'the change',
        '│ - amount: 200',
        '│ + amount: 150',
        'y run it with this input · e edit again',
        'Your change:',
      ].join('\n'),
    );
    await terminal.press(KEYS.enter, 'y');
    expect(await result).toEqual({
      type: 'answered',
      value: { type: 'edited', value: { toAccount: 'ABC123', amount: 150 } },
    });
  });

  test('a field that does not fit is asked again, with the reason', async () => {
    const { terminal, result } = editing();
    await terminal.press(KEYS.enter, KEYS.ctrlU, '0', KEYS.enter);
    expect(await terminal.screen()).toMatch(
      /^┆ ▸ amount {2}\(a number, at least 1\) {2}0\n┆ Enter a number, at least 1/m,
    );
    await terminal.press(KEYS.ctrlU);
    await terminal.type('many');
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toMatch(
      /^┆ ▸ amount {2}\(a number, at least 1\) {2}many\n┆ Enter a number, at least 1/m,
    );
    await terminal.press(KEYS.ctrlU, '7', KEYS.enter, 'y');
    expect(await result).toMatchObject({ value: { value: { amount: 7 } } });
  });

  test('an edit that changes nothing is said to be unchanged, after a key as well', async () => {
    const { terminal, result } = editing();
    await terminal.press(KEYS.enter, KEYS.enter);
    expect(await terminal.screen()).toContain('No changes.');
    await terminal.press('y');
    expect(await result).toEqual({ type: 'answered', value: { type: 'unchanged' } });
  });

  test('what the whole does not fit is said, and edited again from where it was', async () => {
    const { terminal, result } = editing({
      validate: (edited) => (JSON.stringify(edited).includes('999') ? ['amount: over the limit'] : []),
    });
    await terminal.press(KEYS.enter, KEYS.ctrlU);
    await terminal.type('999');
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toContain('Invalid: amount: over the limit\n┆ ▸ toAccount  ABC123');
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toMatch(/^┆ ▸ amount {2}\(a number, at least 1\) {2}999$/m);
    await terminal.press(KEYS.backspace, KEYS.enter, 'y');
    expect(await result).toMatchObject({ value: { value: { amount: 99 } } });
  });

  test('↑ goes to the field before, and keeps what was typed; Esc leaves the whole form', async () => {
    const { terminal, result } = editing();
    await terminal.type('X');
    await terminal.press(KEYS.enter, KEYS.ctrlU, '7', KEYS.up);
    expect(await terminal.screen()).toMatch(/^┆ ▸ toAccount {2}ABC123X\n┆ {3}amount/m);
    await terminal.press(KEYS.enter);
    expect(await terminal.screen()).toMatch(/^┆ ▸ amount {2}\(a number, at least 1\) {2}7$/m);
    await terminal.press(KEYS.escape);
    expect(await result).toEqual({ type: 'back' });
  });

  test('`e` at the difference edits again, Esc goes back', async () => {
    const { terminal, result } = editing();
    await terminal.press('X', KEYS.enter, KEYS.enter, 'e');
    expect(await terminal.screen()).toMatch(
      /┆ ▸ toAccount {2}ABC123X\n┆ {3}amount {2}200\n┆ 1 of 2 · Enter next · Esc back$/,
    );
    await terminal.press(KEYS.enter, KEYS.enter, KEYS.escape);
    expect(await result).toEqual({ type: 'back' });
  });

  /** A member that nobody can write but as JSON. */
  const nested = {
    schema: { type: 'object', properties: { amount: { type: 'number' }, to: { type: 'object' } } },
    value: { amount: 200, to: { account: 'ABC123' } },
  };

  test('in an editor: problems are comments of the next file, until it fits', async () => {
    const seen: string[] = [];
    const saves = [
      '{"toAccount":"ABC123","amount":}',
      '{"toAccount":"ABC123","amount":-1}',
      '{"toAccount":"ABC123","amount":1}',
    ];
    const { terminal, result } = editing({
      ...nested,
      validate: (edited) => (JSON.stringify(edited).includes('-1') ? ['amount: too small'] : []),
      editor: {
        name: 'my-editor',
        edit: (text) => {
          seen.push(text);
          return Promise.resolve(`// mine\n${saves[seen.length - 1] ?? ''}`);
        },
      },
    });
    await terminal.press('y');
    expect(await result).toMatchObject({ value: { value: { amount: 1 } } });
    expect(seen[0]).toContain('"amount": 200');
    expect(seen[1]).toContain('// Not valid yet:\n//   invalid JSON');
    expect(seen[1]).toContain('\n{"toAccount":"ABC123","amount":}\n');
    expect(seen[2]).toContain('//   amount: too small\n');
  });

  test('an emptied file, and one saved again with its problems, give up', async () => {
    const give = async (text: (old: string) => string) => {
      const { result } = editing({
        ...nested,
        validate: () => ['never fits'],
        editor: { name: 'ed', edit: (old) => Promise.resolve(text(old)) },
      });
      return result;
    };
    expect(await give(() => '// nothing\n')).toEqual({ type: 'back' });
    expect(await give((old) => old)).toEqual({ type: 'back' });
  });

  test('an editor that fails is said, and nothing was edited', async () => {
    const { terminal, result } = editing({
      ...nested,
      editor: editorOf({ env: { EDITOR: 'false' }, tempDir: tmpdir(), stdio: [quiet, quiet] })!,
    });
    expect(await result).toEqual({ type: 'back' });
    expect(await terminal.screen()).toContain('the editor `false` exited with status 1');
  });

  test('a change that does not fit the screen must be read to its end first', async () => {
    const long = { text: Array.from({ length: 200 }, (_, index) => `word${index}`) };
    const terminal = testTerminal({ columns: 60, rows: 12 });
    const { result } = editing(
      { value: {}, schema: {}, editor: { name: 'ed', edit: () => Promise.resolve(JSON.stringify(long)) } },
      terminal,
    );
    await terminal.press('y');
    expect(await terminal.screen()).toMatch(/⋯ \d+ rows hidden, v shows everything ⋯\n[^]*Press v to see/);
    await terminal.press('v', KEYS.end, 'q', 'y');
    expect(await terminal.screen()).toContain('Press v to see');
    await terminal.press('v', ' ', ' ', ' ', 'q', 'y');
    expect(await result).toEqual({ type: 'answered', value: { type: 'edited', value: long } });
  });
});

describe('changing a call', () => {
  const command: EditForm = { field: 'command', words: 'argv', labels: { cwd: 'folder' } };
  const file: EditForm = { field: 'content', as: 'text', file: 'path' };
  const text = { type: 'string' };
  const commands = {
    editing: command,
    schema: {
      type: 'object',
      properties: { command: text, argv: { type: 'array', items: text }, cwd: text },
    },
  };
  const files = {
    editing: file,
    schema: { type: 'object', properties: { path: text, content: text }, required: ['path', 'content'] },
  };

  function changing(request: Partial<ChangeRequest> & { readonly value: JsonValue }) {
    const terminal = testTerminal();
    const result = terminal.device.use(
      (held) =>
        changeValue(
          { terminal: held, clock: terminal.clock, theme: terminal.theme, leave: () => undefined },
          { title: 'it', ...request },
        ),
      never,
    );
    return { terminal, result };
  }

  test.for([
    ['shell text', { command: 'ls' }, ' | wc', { command: 'ls | wc' }],
    ['words that stay words', { argv: ['echo', 'a b'] }, ' c', { argv: ['echo', 'a b', 'c'] }],
    ['words that become shell text', { argv: ['ls'] }, ' > x', { command: 'ls > x' }],
    ['words that stay as they were', { argv: ['echo', "it's"] }, '', { argv: ['echo', "it's"] }],
  ] as const)('a command is a line: %s', async ([, value, typed, changed]) => {
    const { terminal, result } = changing({ ...commands, value: value });
    await terminal.type(typed);
    await terminal.press(KEYS.enter);
    expect(await result).toEqual({ type: 'answered', value: changed });
  });

  test('what lies beside the line is a Tab away, by names for people', async () => {
    const { terminal, result } = changing({ ...commands, value: { command: 'ls', cwd: '.' } });
    await terminal.press(KEYS.tab);
    expect(await terminal.screen()).toBe(
      ['┆   command  ls', '┆ ▸ folder  .', '┆ 2 of 2 · Enter shows the change · ↑ back · Esc back'].join(
        '\n',
      ),
    );
    await terminal.type('/src');
    await terminal.press(KEYS.enter);
    expect(await result).toEqual({ type: 'answered', value: { command: 'ls', cwd: './src' } });
  });

  test('a text is taken as it stands, whatever a message would make of it', async () => {
    const content = '"""\nsays what it is\n"""';
    const { terminal, result } = changing({ ...files, value: { path: 'a.py', content } });
    await terminal.press(KEYS.enter);
    expect(await result).toEqual({ type: 'answered', value: { path: 'a.py', content } });
    const next = changing({ ...files, value: { path: 'a.sh', content: 'one' } });
    await next.terminal.type(' \\');
    await next.terminal.press(KEYS.enter);
    expect(await next.result).toEqual({ type: 'answered', value: { path: 'a.sh', content: 'one \\' } });
  });

  test.for([
    ['with a line end that only the editor means', 'a\nb', 'a\nc\n', 'a\nc'],
    ['with a line end that was there', 'a\nb\n', 'a\nc\n', 'a\nc\n'],
    ['with the line ends of the file', 'a\r\nb\r\n', 'a\nc\n', 'a\r\nc\r\n'],
    ['emptied', 'a\nb', '', ''],
    ['with lines that begin as comments do', 'a\nb', '// a\n', '// a'],
  ] as const)('a file is itself in an editor: %s', async ([, content, saved, changed]) => {
    const opened: unknown[] = [];
    const editor: TextEditor = {
      name: 'ed',
      edit: (old, _signal, name) => {
        opened.push([old, name]);
        return Promise.resolve(saved);
      },
    };
    const { result } = changing({ ...files, value: { path: 'src/a.js', content }, editor });
    expect(await result).toEqual({ type: 'answered', value: { path: 'src/a.js', content: changed } });
    expect(opened).toEqual([[content, 'src/a.js']]);
  });

  test.for([
    ['left as it was', () => Promise.resolve('one\n')],
    ['that cannot be opened', () => Promise.reject(new HitlError('USAGE', 'no such editor'))],
  ] as const)('a file %s is changed below the question, with what lies beside it', async ([, edit]) => {
    const value = { path: 'a.js', content: 'one' };
    const { terminal, result } = changing({ ...files, value, editor: { name: 'ed', edit } });
    await terminal.press(KEYS.tab);
    await terminal.type('x');
    await terminal.press(KEYS.enter);
    expect(await result).toEqual({ type: 'answered', value: { path: 'a.jsx', content: 'one' } });
  });

  test('the only text that a tool needs is at once a line, and several are a form', async () => {
    const schema = {
      type: 'object',
      properties: { message: text, loud: { type: 'boolean' } },
      required: ['message'],
    };
    const one = changing({ schema, value: { message: 'hi' } });
    await one.terminal.type('!');
    await one.terminal.press(KEYS.enter);
    expect(await one.result).toEqual({ type: 'answered', value: { message: 'hi!' } });
    const two = changing({
      schema: { ...schema, required: ['message', 'loud'] },
      value: { message: 'hi', loud: true },
    });
    await two.terminal.type('!');
    await two.terminal.press(KEYS.enter, KEYS.enter);
    expect(await two.result).toEqual({ type: 'answered', value: { message: 'hi!', loud: true } });
  });

  test('what was typed is there again, and no secret is', async () => {
    let kept: FormDraft | undefined;
    const drafts = {
      read: () => kept,
      keep: (draft: FormDraft | undefined) => {
        kept = draft;
      },
    };
    const schema = {
      type: 'object',
      properties: { user: text, password: { type: 'string', format: 'password' }, note: text },
      required: ['user', 'password', 'note'],
    };
    const first = changing({ schema, value: { user: 'ann', password: 'x', note: '' }, drafts });
    await first.terminal.type('a');
    await first.terminal.press(KEYS.enter);
    await first.terminal.type('s3cret');
    await first.terminal.press(KEYS.enter);
    await first.terminal.type('half');
    await first.terminal.press(KEYS.escape);
    expect(await first.result).toEqual({ type: 'back' });
    expect(kept).toEqual({ value: { user: 'anna', note: 'half' }, index: 0, isChanged: true });
    const again = changing({ schema, value: { user: 'ann', password: 'x', note: '' }, drafts });
    expect((await again.terminal.screen()).split('\n')[0]).toBe('┆ ▸ user  anna');
    await again.terminal.press(KEYS.enter, KEYS.enter, KEYS.enter);
    expect(await again.result).toEqual({
      type: 'answered',
      value: { user: 'anna', password: 'x', note: 'half' },
    });
  });

  test('a text that does not fit is kept when another field is left', async () => {
    let kept: FormDraft | undefined;
    const drafts = {
      read: () => kept,
      keep: (draft: FormDraft | undefined) => {
        kept = draft;
      },
    };
    const schema = {
      type: 'object',
      properties: { name: text, count: { type: 'number' } },
      required: ['name', 'count'],
    };
    const { terminal, result } = changing({ schema, value: { name: 'a', count: 1 }, drafts });
    await terminal.press(KEYS.tab, 'x', KEYS.tab, KEYS.escape);
    expect(await result).toEqual({ type: 'back' });
    expect(kept).toEqual({ value: { name: 'a', count: 1 }, index: 1, text: '1x', isChanged: true });
  });

  test('Tab goes on and Shift-Tab back, around the end, and no text that does not fit is lost', async () => {
    const schema = {
      type: 'object',
      properties: { name: text, count: { type: 'number' }, where: { enum: ['home', 'work'] } },
      required: ['name', 'count', 'where'],
    };
    const { terminal, result } = changing({ schema, value: { name: 'a', count: 1, where: 'home' } });
    const field = async () => (await terminal.screen()).split('\n').find((row) => row.startsWith('┆ ▸'));
    await terminal.press(KEYS.tab, 'x');
    expect(await field()).toBe('┆ ▸ count  (a number)  1x');
    await terminal.press(KEYS.tab, KEYS.tab);
    expect(await field()).toBe('┆ ▸ name  a');
    await terminal.press(KEYS.shiftTab, KEYS.tab);
    expect(await field()).toBe('┆ ▸ count  (a number)  1x');
    await terminal.press(KEYS.tab, KEYS.enter);
    expect(await field()).toBe('┆ ▸ count  (a number)  1x');
    await terminal.press(KEYS.backspace, '2', KEYS.enter, KEYS.backspace, KEYS.backspace);
    await terminal.press(KEYS.backspace, KEYS.backspace, '2', KEYS.enter);
    expect(await result).toEqual({ type: 'answered', value: { name: 'a', count: 12, where: 'work' } });
  });
});
