import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home, lines } from '../helpers/program.js';

const ASK = 'Transfer 200 to ABC123';
const ONCE = [{ toAccount: 'ABC123', amount: 200 }];

describe('a piped session', () => {
  test('ends with 0 when the answer is there, and the transfer is made once', async () => {
    using home = new Home();
    const { status, stdout } = await home.run(['chat'], { input: lines(ASK, 'y') });
    expect({ status, stdout, transfers: home.transfers() }).toEqual({
      status: 0,
      stdout: 'Transferred 200 to ABC123. The balance is now 800.\n',
      transfers: ONCE,
    });
  });

  test('ends with 3 when the answer is missing, says how to go on, and goes on', async () => {
    using home = new Home();
    const asked = await home.run(['chat'], { input: lines(ASK) });
    expect(asked.status).toBe(3);
    expect(asked.stderr).toContain(`hint: hitl resume ${home.id}`);
    expect(home.transfers()).toEqual([]);
    const { status } = await home.run(['resume', home.id], { input: lines('y') });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
  });

  test('ends with 2 on an answer that does not fit; the question stays open and the next line is not tried', async () => {
    using home = new Home();
    const { status, stderr } = await home.run(['chat'], { input: lines(ASK, 'maybe', 'y') });
    expect(status).toBe(2);
    expect(stderr).toContain('line 2 of stdin');
    expect(stderr).toContain('valid answers: y');
    expect(home.transfers()).toEqual([]);
    const open = JSON.parse((await home.run(['inbox', '--json'])).stdout) as unknown[];
    expect(open).toHaveLength(1);
  });

  test.for([
    ['a last line without a line break', `${ASK}\ny`],
    ['CRLF', `${ASK}\r\ny\r\n`],
  ])('takes %s', async ([, input]) => {
    using home = new Home();
    const { status } = await home.run(['chat'], { input: input ?? '' });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
  });

  test('takes input that arrives byte by byte', async () => {
    using home = new Home();
    const { status } = await home.run(['chat'], { input: Array.from(lines(ASK, 'y')) });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
  });

  test('ends with 0 and makes nothing when stdin is empty', async () => {
    using home = new Home();
    const { status, stdout } = await home.run(['chat']);
    expect({ status, stdout, ids: home.ids() }).toEqual({ status: 0, stdout: '', ids: [] });
  });

  test.for([
    ['invalid UTF-8', new Uint8Array([0x68, 0xff, 0x0a])],
    ['a NUL', new Uint8Array([0x68, 0x00, 0x0a])],
  ] as const)('refuses %s with status 2', async ([, input]) => {
    using home = new Home();
    expect((await home.run(['chat'], { input })).status).toBe(2);
  });
});

describe('an answer line', () => {
  test.for([
    ['e {"toAccount":"ABC123","amount":150}', [{ toAccount: 'ABC123', amount: 150 }]],
    ['edit +{"amount":150}', [{ toAccount: 'ABC123', amount: 150 }]],
    [
      '{"action":"restart","input":{"toAccount":"ABC123","amount":150}}',
      [{ toAccount: 'ABC123', amount: 150 }],
    ],
    ['n use the savings account', []],
    ['n:use the savings account', []],
    ['c', []],
    ['a {"transferred":200,"toAccount":"ABC123","balance":1}', []],
    ['always', ONCE],
  ] as const)('%s settles the call', async ([line, transfers]) => {
    using home = new Home();
    const { status } = await home.run(['chat'], { input: lines(ASK, line) });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers });
  });

  test('always as `tool` holds for every call of it for the rest of the session', async () => {
    using home = new Home();
    const tool = '{"action":"restart","always":"tool"}';
    const { status } = await home.run(['chat'], { input: lines(ASK, tool, 'Transfer 300 to DEF456') });
    expect({ status, transfers: home.transfers() }).toEqual({
      status: 0,
      transfers: [...ONCE, { toAccount: 'DEF456', amount: 300 }],
    });
  });

  test('always, without more, is exactly this call: another one is asked about', async () => {
    using home = new Home();
    const { status, stderr } = await home.run(['chat'], {
      input: lines(ASK, 'always', ASK, '/rules', 'Transfer 300 to DEF456'),
    });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 3, transfers: [...ONCE, ...ONCE] });
    expect(stderr).toContain('always transfer_money, exactly this call: {');
  });

  test('an edit that does not fit the schema is refused and loses nothing', async () => {
    using home = new Home();
    const { status } = await home.run(['chat'], { input: lines(ASK, 'edit +{"amount":"much"}') });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 2, transfers: [] });
  });
});

describe('the flags of a script', () => {
  test('answers that cannot be read leave no session behind', async () => {
    using home = new Home();
    const { status, stderr } = await home.run(['chat', '-p', ASK, '--answers', 'none.jsonl']);
    expect([status, stderr.includes('none.jsonl'), home.ids()]).toEqual([2, true, []]);
  });

  test('--answers answers by rule, and --strict-answers refuses what is left', async () => {
    using home = new Home();
    const file = join(home.path, 'answers.jsonl');
    writeFileSync(
      file,
      '{"match":{"tool":"transfer_money"},"answer":"y"}\n{"match":{"tool":"run_command"},"answer":"n"}\n',
    );
    const lax = await home.run(['chat', '-p', ASK, '--answers', file]);
    expect({ status: lax.status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
    using strict = new Home();
    const refused = await strict.run(['chat', '-p', ASK, '--answers', file, '--strict-answers']);
    expect({ status: refused.status, transfers: strict.transfers() }).toEqual({ status: 2, transfers: ONCE });
  });

  test('--answer names the interrupt, and the digest of what was shown in an earlier run (A10)', async () => {
    using home = new Home();
    await home.run(['chat', '-p', ASK]);
    const { id } = home;
    const digest = home.digest();
    const bare = await home.run(['resume', id, '--answer', 'i1=y']);
    expect([bare.status, bare.stderr.split('\n').filter((line) => /^(?:error|hint)/u.test(line))]).toEqual([
      2,
      [
        'error: --answer i1: approving a question from an earlier run requires the digest of the question as shown',
        'hint: valid answers: --answer i1@<digest>=…',
        `hint: hitl answer ${id} y --digest ${digest}`,
        `hint: hitl resume ${id}`,
      ],
    ]);
    const other = await home.run(['resume', id, '--answer', 'i1@00000000=y']);
    expect([other.status, other.stderr]).toEqual([
      2,
      expect.stringContaining('question i1 has changed: it is not the one shown with 00000000'),
    ]);
    expect((await home.run(['resume', id, '--answer', 'i1@12=y'])).status).toBe(2);
    expect(home.transfers()).toEqual([]);
    const { status } = await home.run(['resume', id, '--answer', `i1@${digest}=y`]);
    expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
  });

  test('--answer of a run that asks itself needs no digest', async () => {
    using home = new Home();
    const { status } = await home.run(['chat', '-p', ASK, '--answer', 'i1=y']);
    expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
  });

  test('--answer takes no second answer to one interrupt', async () => {
    using home = new Home();
    await home.run(['chat', '-p', ASK]);
    const twice = await home.run(['resume', home.id, '--answer', 'i1=n', '--answer', 'i1=y']);
    expect({ status: twice.status, transfers: home.transfers() }).toEqual({ status: 2, transfers: [] });
    expect(twice.stderr).toContain('i1 is already answered by another --answer');
  });

  test('--record-answers writes what was answered on stdin, and --answers gives it again', async () => {
    using home = new Home();
    const file = join(home.path, 'answers.jsonl');
    await home.run(['chat', '--record-answers', file], { input: lines(ASK, 'y') });
    using again = new Home();
    const { status } = await again.run(['chat', '-p', ASK, '--answers', file, '--strict-answers']);
    expect({ status, transfers: again.transfers() }).toEqual({ status: 0, transfers: ONCE });
    using nowhere = new Home();
    const lost = await nowhere.run(['chat', '--record-answers', join(home.path, 'no', 'where')], {
      input: lines(ASK, 'y'),
    });
    expect({ status: lost.status, sessions: nowhere.ids() }).toEqual({ status: 6, sessions: [] });
  });

  test('--yes approves the named tool, and an unknown name is refused', async () => {
    using home = new Home();
    expect((await home.run(['chat', '-p', ASK, '--yes', 'transfer_money'])).status).toBe(0);
    expect(home.transfers()).toEqual(ONCE);
    expect((await home.run(['chat', '-p', ASK, '--yes', 'no_such_tool'])).status).toBe(2);
  });

  test.for([
    ['an answer by flag', ['--answer', 'i1=n not today']],
    ['an entry of the answers file', ['--answers', 'answers.jsonl']],
  ] as const)('%s counts before --yes, and --yes before stdin', async ([, flags]) => {
    using home = new Home();
    const cwd = home.path;
    writeFileSync(join(cwd, 'answers.jsonl'), '{"match":{"tool":"transfer_money"},"answer":"n not today"}\n');
    const asked = ['chat', '-p', ASK, '--yes', 'transfer_money'];
    const refused = await home.run([...asked, ...flags], { cwd });
    expect({ status: refused.status, transfers: home.transfers() }).toEqual({ status: 0, transfers: [] });
    using other = new Home();
    const { stderr } = await other.run(asked, { input: lines('n') });
    expect(stderr).toContain('line 1 (n)');
    expect(other.transfers()).toEqual(ONCE);
  });

  test('--on-interrupt deny tells the model that no person was available', async () => {
    using home = new Home();
    const { status, stdout } = await home.run(['chat', '-p', ASK, '--on-interrupt', 'deny']);
    expect({ status, transfers: home.transfers() }).toEqual({ status: 0, transfers: [] });
    expect(stdout).toContain('no person was available');
  });

  test('--print with lines left over ends with 2 and names them, after everything is saved', async () => {
    using home = new Home();
    const { status, stderr } = await home.run(['chat', '-p', ASK], { input: lines('y', 'and more') });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 2, transfers: ONCE });
    expect(stderr).toContain('line 2 (and more)');
  });

  test('--message - takes all of stdin as the message, and asks nobody', async () => {
    using home = new Home();
    const { status } = await home.run(['chat', '--message', '-'], { input: ASK });
    expect({ status, transfers: home.transfers() }).toEqual({ status: 3, transfers: [] });
  });

  test('--no-save is refused beside a place for sessions', async () => {
    using home = new Home();
    const ran = await home.run(['chat', '--no-save', '--sessions', home.sessions, '-p', 'hello']);
    expect([ran.status, ran.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be used together') as string,
    ]);
  });

  test('--no-save keeps nothing, and says so', async () => {
    using home = new Home();
    const { status, stderr } = await home.run(['chat', '--no-save', '-p', 'hello']);
    expect({ status, ids: home.ids() }).toEqual({ status: 0, ids: [] });
    expect(stderr).toContain('This session is not saved');
  });

  test('--max-turns reached ends with 8, and extend goes on', async () => {
    using home = new Home();
    const limited = await home.run(['chat', '--max-turns', '1', '-p', 'think step by step']);
    expect(limited.status).toBe(8);
    const { status } = await home.run(['resume', home.id, '--max-turns', '1'], { input: lines('extend 20') });
    expect(status).toBe(0);
  });

  test('typed input refuses an answer for another interrupt and a message while one is open', async () => {
    using home = new Home();
    const shifted = await home.run(['chat', '--input-format', 'ndjson'], {
      input: lines(
        JSON.stringify({ type: 'message', text: ASK }),
        JSON.stringify({ type: 'answer', interrupt: 'i9', answer: 'y' }),
      ),
    });
    expect({ status: shifted.status, transfers: home.transfers() }).toEqual({ status: 2, transfers: [] });
    const message = await home.run(['resume', home.id, '--input-format', 'ndjson'], {
      input: lines(JSON.stringify({ type: 'message', text: 'y' })),
    });
    expect({ status: message.status, transfers: home.transfers() }).toEqual({ status: 2, transfers: [] });
    const right = await home.run(['resume', home.id, '--input-format', 'ndjson'], {
      input: lines(JSON.stringify({ type: 'answer', interrupt: 'i1', answer: 'y' })),
    });
    expect({ status: right.status, transfers: home.transfers() }).toEqual({ status: 0, transfers: ONCE });
  });

  test.for([
    ['chat', '--modle', 'demo'],
    ['chta'],
    ['chat', '--max-turns', '0'],
    ['chat', '--model', 'dmeo', '-p', 'hi'],
  ])('refuses %j with status 2 and a hint', async (args) => {
    using home = new Home();
    const { status, stderr } = await home.run(args);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: .+\nhint: .+\n$/u);
  });
});
