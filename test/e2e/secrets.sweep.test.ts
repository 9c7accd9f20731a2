import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { scriptModel } from '../helpers/tool-module.js';

const SECRET = 'correct-horse-battery';
const KEY = 'sk-ant-0123456789abcdefghij';

/** A module with one tool whose body is given as source text. */
function toolModule(home: Home, body: string): readonly string[] {
  const module = join(home.path, 'look.mjs');
  writeFileSync(
    module,
    `export const look = {
  name: 'look', description: 'Looks.', input: { type: 'object' }, effect: 'none',
  execute() { ${body} },
};
`,
  );
  const model = scriptModel(home, [{ tools: [{ name: 'look', input: {} }] }, { text: 'done' }]);
  return ['chat', '-p', 'look', '--model', model, '--tools', module];
}

/** Everything that a session left on disk. */
function filesOf(home: Home): string {
  const folder = join(home.sessions, home.id);
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

function outcome(home: Home): Record<string, unknown> {
  const event = home.events().find(({ type }) => type === 'tool-settled');
  return event?.['outcome'] as Record<string, unknown>;
}

describe('G33 what a tool returns', () => {
  test('is saved without keys and without the secrets of the environment, and the count is told', async () => {
    using home = new Home();
    const args = toolModule(home, `return { a: process.env.MY_TOKEN, b: ${JSON.stringify(KEY)} };`);
    const { status, stdout } = await home.run([...args, '-o', 'stream-json'], { env: { MY_TOKEN: SECRET } });
    expect(status).toBe(0);
    expect(outcome(home)).toEqual({
      type: 'output',
      output: { a: '[redacted]', b: '[redacted]' },
      metadata: { masked: 2 },
    });
    expect(stdout).toContain('2 secrets masked in the output of look');
    expect([filesOf(home), stdout].some((text) => text.includes(SECRET) || text.includes(KEY))).toBe(false);
  });

  test('and what it throws', async () => {
    using home = new Home();
    const args = toolModule(home, "throw new Error('401 for ' + process.env.MY_TOKEN);");
    const { status, stdout, stderr } = await home.run([...args, '--json'], { env: { MY_TOKEN: SECRET } });
    expect(status).toBe(0);
    expect(outcome(home)).toMatchObject({ type: 'error', message: '401 for [redacted]' });
    expect(`${filesOf(home)}${stdout}${stderr}`).not.toContain(SECRET);
  });
});

describe('G8 what a tool returns', () => {
  test('goes to a file of its own where it is too large for a record', async () => {
    using home = new Home();
    const { status } = await home.run(toolModule(home, "return 'x'.repeat(17_000_000);"));
    expect(status).toBe(0);
    const { kept } = outcome(home)['metadata'] as { kept: { file: string; sha256: string; bytes: number } };
    const path = join(home.sessions, home.id, kept.file);
    const bytes = readFileSync(path);
    expect(kept).toEqual({
      file: `output-${kept.sha256}.json`,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: 17_000_013,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.sessions, home.id, 'journal.jsonl')).size).toBeLessThan(20_000);

    const verify = () => home.run(['audit', 'verify', home.id, '--json']);
    expect((await verify()).status).toBe(0);
    writeFileSync(path, 'something else');
    const changed = await verify();
    expect(changed.status).toBe(5);
    expect(changed.stdout).toContain('differs from the saved output');
  });

  test('is refused where it is nested too deep', async () => {
    using home = new Home();
    const deep = 'let deep = 1; for (let n = 0; n < 65; n += 1) deep = [deep]; return deep;';
    expect((await home.run(toolModule(home, deep))).status).toBe(0);
    expect(outcome(home)).toMatchObject({ type: 'error', code: 'invalid-output' });
  });

  test('comes back from an export at the deepest nesting there is', async () => {
    using home = new Home();
    const deep = 'let deep = 1; for (let n = 0; n < 64; n += 1) deep = [deep]; return deep;';
    await home.run(toolModule(home, deep));
    const file = join(home.path, 'deep.json');
    await home.run(['export', home.id, '--output', file]);
    const { status } = await home.run(['import', file]);
    expect(status).toBe(0);
  });

  test('and what a person says: more than 16 MB is no message', async () => {
    using home = new Home();
    const { status, stderr } = await home.run(['chat', '-p', '--message', '-'], {
      input: 'x'.repeat(17_000_000),
    });
    expect({ status, ids: home.ids() }).toEqual({ status: 2, ids: [] });
    expect(stderr).toContain('17000000 bytes');
  });
});

describe('G8 what comes in later is refused where it is too large, and nothing before it is lost', () => {
  const LARGE = 'x'.repeat(15_100_000);
  const message = (text: string): string => `${JSON.stringify({ type: 'message', text })}\n`;

  test.for([
    ['a piped message', [], `hello\n${LARGE}\n`],
    ['a message of ndjson', ['--input-format', 'ndjson'], message('hello') + message(LARGE)],
  ] as const)('%s', async ([, flags, input]) => {
    using home = new Home();
    const { status, stderr } = await home.run(['chat', ...flags], { input });
    const said = home.events().filter(({ type }) => type === 'message-added');
    expect({ status, said: said.length }).toEqual({ status: 2, said: 2 });
    expect(stderr).toContain('message too large: 15100000 bytes (maximum 15000000)');
    expect((await home.run(['doctor', home.id])).status).toBe(0);
  });

  test.for(['chat', 'answer'])('an answer of `hitl %s`', async (command) => {
    using home = new Home();
    const ask = 'Transfer 200 to ABC123';
    const input = command === 'chat' ? `${ask}\nn ${LARGE}\n` : `${ask}\n`;
    const chat = await home.run(['chat'], { input });
    const { status, stderr } =
      command === 'chat' ? chat : await home.run(['answer', home.id], { input: `n ${LARGE}\n` });
    expect(status).toBe(2);
    expect(stderr).toMatch(/answer too large: \d+ bytes \(maximum 15000000\)/u);
    expect((await home.run(['answer', home.id, 'n'])).status).toBe(0);
  });

  test('an import', async () => {
    using home = new Home();
    const file = join(home.path, 'large.json');
    writeFileSync(file, JSON.stringify([{ role: 'user', content: [{ text: LARGE }] }]));
    const { status, stderr } = await home.run(['import', file]);
    expect({ status, ids: home.ids() }).toEqual({ status: 2, ids: [] });
    expect(stderr).toMatch(/its history is too large: \d+ bytes \(maximum 15000000\)/u);
  });
});

describe('G33 what a person approves', () => {
  test('is kept as it is, and masked with its facts in an export with --redact', async () => {
    using home = new Home();
    const input = { argv: ['echo', KEY], cwd: '.' };
    const model = scriptModel(home, [{ tools: [{ name: 'run_command', input }] }, { text: 'done' }]);
    const env = { MY_TOKEN: home.path.slice(1) };
    await home.run(['chat', '-p', 'go', '--model', model], { env, cwd: home.path });
    expect(filesOf(home)).toContain(KEY);
    for (const format of ['json', 'genkit', 'anthropic', 'markdown']) {
      const { stdout } = await home.run(['export', home.id, '--redact', '--format', format], { env });
      expect([stdout.includes(KEY), stdout.includes(home.path), stdout.includes('[redacted]')]).toEqual([
        false,
        false,
        true,
      ]);
    }
  });
});
