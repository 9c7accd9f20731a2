import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';

import { Home, lines } from '../helpers/program.js';
import { Running } from '../helpers/running.js';
import { scriptModel } from '../helpers/tool-module.js';

const ASK = 'Transfer 200 to ABC123';
const ONCE = [{ toAccount: 'ABC123', amount: 200 }];

type Loose = Record<string, unknown>;

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
const judges = {
  result: judge('result'),
  stream: judge('stream-event'),
  transcript: judge('transcript'),
};

/** Throws what does not fit a schema that the package publishes. */
function judge(name: string): (value: unknown) => void {
  const file = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object);
  return (value) => {
    if (!validate(value)) throw new Error(ajv.errorsText(validate.errors));
  };
}

/** The one document that stdout holds. */
function result(stdout: string): Loose {
  expect(stdout.trimEnd()).not.toContain('\n');
  const value = JSON.parse(stdout) as Loose;
  judges.result(value);
  return value;
}

/** The lines of a stream, each of which fits. */
function stream(stdout: string): readonly Loose[] {
  expect(stdout.endsWith('\n')).toBe(true);
  const all = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Loose);
  for (const one of all) judges.stream(one);
  return all;
}

function transcriptFile(home: Home, id = home.id): Loose {
  const value = JSON.parse(readFileSync(join(home.sessions, id, 'transcript.json'), 'utf8')) as Loose;
  judges.transcript(value);
  return value;
}

/** Numbers and types of the events of a stream that are kept. */
function durable(events: readonly Loose[]): readonly unknown[] {
  return events.flatMap(({ seq, type }) => (seq === undefined ? [] : [[seq, type]]));
}

const failing = [{ text: 'Half an ', error: { status: 400, type: 'invalid_request_error', message: 'no' } }];

const RUNS = [
  { title: 'done', input: lines(ASK, 'y'), status: 0, result: 'done' },
  { title: 'interrupted', input: lines(ASK), status: 3, result: 'interrupted' },
  { title: 'a bad answer', input: lines(ASK, 'maybe'), status: 2, result: 'interrupted' },
  { title: 'failed', input: lines('hello'), status: 7, result: 'failed', script: failing },
  {
    title: 'a limit',
    input: lines('think step by step'),
    status: 8,
    result: 'limit',
    more: ['--max-turns', '1'],
  },
] as const;

describe.for(RUNS)('$title', ({ input, status, result: word, ...more }) => {
  const args = (home: Home) => [
    ...('script' in more ? ['--model', scriptModel(home, more.script)] : []),
    ...('more' in more ? more.more : []),
  ];

  test('--json prints one object that fits its schema, and nothing else', async () => {
    using home = new Home();
    const ran = await home.run(['chat', '--json', ...args(home)], { input });
    const { session, status: said, resume } = result(ran.stdout);
    expect({ status: ran.status, said, session, resume }).toEqual({
      status,
      said: word,
      session: home.id,
      resume: `hitl resume ${home.id}`,
    });
    expect(transcriptFile(home)).toMatchObject({ id: home.id });
  });

  test('stream-json prints events that fit their schema, the result last', async () => {
    using home = new Home();
    const ran = await home.run(['chat', '-o', 'stream-json', ...args(home)], { input });
    const events = stream(ran.stdout);
    expect({ status: ran.status, last: events.at(-1) }).toMatchObject({
      status,
      last: { type: 'result', session: home.id, status: word },
    });
    // Durable events are those of the journal, all of them and in its order.
    const kept = home.events().map(({ type }, index) => [index + 1, type]);
    expect(durable(events)).toEqual(kept);
  });
});

test('stream-json of a session that goes on tells what is open, so that its reader can answer it', async () => {
  using home = new Home();
  await home.run(['chat', '-p', 'Transfer 200 to ABC123']);
  const { id } = home;
  const args = ['resume', id, '-p', '-o', 'stream-json', '--input-format', 'ndjson'];
  await using program = new Running(home, args);
  await program.until('"interrupt-open"');
  const [first = ''] = program.stdout.split('\n');
  expect(JSON.parse(first)).toEqual({
    session: id,
    type: 'interrupt-open',
    interrupt: home.asked(),
  });
  program.write(`{"type":"answer","interrupt":"i1","answer":"y"}\n`);
  program.end();
  const { status, stdout } = await program.ended;
  expect({ status, told: stdout.split('"interrupt-open"').length - 1 }).toEqual({ status: 0, told: 1 });
  expect(home.transfers()).toEqual([{ toAccount: 'ABC123', amount: 200 }]);
});

test('stream-json of a session that goes on begins where it rested, and leaves no number out', async () => {
  using home = new Home();
  await home.run(['chat', '-p', 'hello']);
  const rested = home.events().length;
  const ran = await home.run(['resume', home.id, '-p', '-o', 'stream-json'], { input: lines('hello') });
  const kept = home.events().map(({ type }, index) => [index + 1, type]);
  expect(kept[rested]).toEqual([rested + 1, 'session-opened']);
  expect(durable(stream(ran.stdout))).toEqual(kept.slice(rested));
});

test.for([
  ['chat', '--json', '--modle', 'demo'],
  ['chat', '-p', 'hi', '-o', 'json', '--tools', '/no/such/module.mjs'],
  ['chat', '-p', 'hi', '--output-format=stream-json', '--max-turns', '0'],
])('an error before there is a session is an object too: %j', async (args) => {
  using home = new Home();
  const { status, stdout, stderr } = await home.run(args);
  const { error } = result(stdout);
  judges.stream(JSON.parse(stdout));
  expect({ status, ids: home.ids() }).toEqual({ status: 2, ids: [] });
  expect(stderr).toBe(
    `error: ${String((error as Loose)['message'])}\nhint: ${String((error as Loose)['hint'])}\n`,
  );
});

test('resume --json of an unknown session is an error object with status 4 (graph case 91)', async () => {
  using home = new Home();
  const { status, stdout } = await home.run(['resume', 'nope0', '--json']);
  expect({ status, ...result(stdout) }).toMatchObject({ status: 4, error: { code: 'SESSION_NOT_FOUND' } });
});

describe('the transcript document', () => {
  test('is the same beside the journal, from show --json and from export', async () => {
    using home = new Home();
    await home.run(['chat'], { input: lines(ASK, 'edit +{"amount":150}', 'Transfer 300 to DEF456') });
    const exported = await home.run(['export', home.id]);
    const shown = await home.run(['show', home.id, '--json']);
    judges.transcript(JSON.parse(exported.stdout));
    expect(JSON.parse(exported.stdout)).toEqual(transcriptFile(home));
    expect(shown.stdout).toBe(exported.stdout);
  });

  test('with an open question is imported to a session that asks for the call itself, and quotes the file', async () => {
    using home = new Home();
    await home.run(['chat', '-p', ASK]);
    const original = home.id;
    const file = join(home.path, 'document.json');
    await home.run(['export', original, '--output', file]);
    const { stdout } = await home.run(['import', file]);
    const id = stdout.trim();
    expect(home.ids()).toContain(id);
    expect(id).not.toBe(original);

    const asked = result((await home.run(['resume', id, '--json'])).stdout);
    const before = result((await home.run(['resume', original, '--json'])).stdout);
    const shape = (one: Loose) =>
      (one['interrupts'] as Loose[]).map(({ kind, source, payload }) => ({
        kind,
        input: (source as Loose)['input'],
        payload,
      }));
    expect(shape(asked)).toEqual(
      shape(before).map((one) => ({ ...one, payload: { 'the file says': one.payload } })),
    );
    const { status } = await home.run(['resume', id], { input: lines('y', 'y') });
    expect({ status, transfers: home.transfers(id), original: home.transfers(original) }).toEqual({
      status: 0,
      transfers: ONCE,
      original: [],
    });
    transcriptFile(home, id);
  });

  test('that is broken makes no session', async () => {
    using home = new Home();
    const file = join(home.path, 'document.json');
    for (const text of ['', '{', '{}', '[{"role":"user"}]', '{"format":"hitl-transcript","version":9}']) {
      writeFileSync(file, text);
      const { status, stderr } = await home.run(['import', file]);
      expect({ text, status, ids: home.ids() }).toEqual({ text, status: 2, ids: [] });
      expect(stderr).toMatch(/^error: [^]+\nhint: .+\n$/u);
    }
  });
});

test('a reader that leaves early ends nothing and prints no stack; everything is saved', async () => {
  using home = new Home();
  await using program = new Running(home, ['chat', '-o', 'stream-json']);
  program.write(lines(ASK));
  await program.until('"interrupt-raised"');
  program.closeStdout();
  program.write(lines('y'));
  program.end();
  const { status, stderr } = await program.ended;
  expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
  expect(stderr).not.toMatch(/EPIPE|\n\s+at /u);
  expect(transcriptFile(home)).toMatchObject({ status: 'done' });
});

test('JSON says of hostile text exactly what it is, and holds nothing that a terminal obeys', async () => {
  using home = new Home();
  const hostile = 'a\u009b2J\u202eb\u007fc';
  const question = { name: 'ask_user', input: { question: hostile }, ref: 'asked' };
  const model = scriptModel(home, [{ tools: [question] }, { text: 'Done.' }]);
  const module = join(home.path, 'tools.mjs');
  const tool = `name: 'look', description: ${JSON.stringify(hostile)}, input: {}, execute: async () => 1`;
  writeFileSync(module, `export const look = { ${tool} };\n`);
  await home.run(['chat', '--print', '--no-input', '--model', model, 'go']);
  const commands = [
    ['inbox'],
    ['tools', '--tools', module],
    ['show', home.id],
    ['resume', hostile],
    ['answer', home.id, hostile],
    ['why', home.id],
  ];
  for (const command of commands) {
    const { stdout } = await home.run([...command, '--json']);
    expect(stdout, command[0]).not.toMatch(/[\u007f-\u009f\u202e]/u);
    expect(JSON.stringify(JSON.parse(stdout)), command[0]).toContain(hostile);
  }
});
