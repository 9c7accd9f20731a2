import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { chainOf, NO_PREVIOUS, sealLine } from '../../sessions/format/codec.js';
import { scriptModel } from '../helpers/tool-module.js';
import { Home, lines } from '../helpers/program.js';

const GOLDEN = fileURLToPath(new URL('../fixtures/golden/v1/golden', import.meta.url));

type Loose = Record<string, unknown>;
interface Stored {
  readonly event: Loose & { readonly type: string };
}

/** A session with an edit, an approval, a rule for the rest of it, and what the rule allowed. */
const home = new Home();
let id = '';

beforeAll(async () => {
  await home.run(['chat'], {
    input: lines(
      'Transfer 200 to ABC123',
      'edit +{"amount":150}',
      'Transfer 300 to DEF456',
      '{"action":"restart","always":"tool"}',
      'Transfer 400 to GHI789',
    ),
  });
  id = home.id;
});
afterAll(() => {
  home[Symbol.dispose]();
});

function journalOf(session: string): string {
  return join(home.sessions, session, 'journal.jsonl');
}

/** A copy of the session with other records, sealed and chained as they should be. */
function forged(session: string, change: (records: Stored[]) => readonly Stored[]): string {
  const records = readFileSync(journalOf(id), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Stored);
  mkdirSync(join(home.sessions, session), { mode: 0o700 });
  let prev = NO_PREVIOUS;
  const sealed = change(records).map((record, index) => {
    const { v, at, scope, event } = record as unknown as Record<string, unknown>;
    const body = JSON.stringify({ v, seq: index + 1, prev, at, scope, event }).slice(0, -1);
    const line = sealLine(body);
    prev = chainOf(line.subarray(0, -1));
    return line;
  });
  writeFileSync(journalOf(session), Buffer.concat(sealed), { mode: 0o600 });
  return session;
}

function changed(type: string, nth: number, change: (event: Loose) => Loose) {
  return (records: Stored[]): readonly Stored[] => {
    const at = records
      .map(({ event }, index) => ({ event, index }))
      .filter(({ event }) => event.type === type)[nth]?.index;
    return records.map((record, index) =>
      index === at ? { ...record, event: { type, ...change(record.event) } } : record,
    );
  };
}

async function verify(session: string): Promise<Loose & { readonly status: number }> {
  const { status, stdout } = await home.run(['audit', 'verify', session, '--json']);
  return { status, ...(JSON.parse(stdout) as Loose) };
}

describe('audit verify', () => {
  test('an honest session is whole, and says how much was checked', async () => {
    expect(await verify(id)).toMatchObject({
      status: 0,
      ok: true,
      chain: { status: 'ok' },
      checked: { interrupts: 3, resolutions: 3, starts: 6, approvedStarts: 3 },
      findings: [],
    });
    const { stdout } = await home.run(['audit', 'verify', id]);
    expect(stdout).toMatch(/^written +events 1-\d+ with your key$/mu);
    expect(stdout).toMatch(/^result +intact, and signed with your key$/mu);
  });

  test('the golden session of format 1 fits, and nobody can say who wrote it', async () => {
    cpSync(GOLDEN, join(home.sessions, 'golden'), { recursive: true });
    expect(await verify('golden')).toMatchObject({
      status: 5,
      ok: false,
      result: 'foreign',
      written: [{ from: 1, to: 32, by: 'unknown' }],
      inbox: { ours: 0, foreign: 1, waiting: 1 },
      findings: [],
    });
  });

  test('a changed byte is found, with its line', async () => {
    const session = forged('flipped', (records) => records);
    const text = readFileSync(journalOf(session), 'utf8');
    writeFileSync(journalOf(session), text.replace('ABC123', 'XYZ123'));
    const report = await verify(session);
    expect(report).toMatchObject({
      status: 5,
      ok: false,
      chain: { status: 'damaged', where: { kind: 'bad-line' } },
    });
  });

  test('a torn end is told of, and breaks nothing', async () => {
    const session = forged('torn', (records) => records);
    appendFileSync(journalOf(session), '{"v":1,"se');
    const report = { result: 'foreign', chain: { status: 'torn' }, findings: [] };
    expect(await verify(session)).toMatchObject(report);
  });

  test('says which records were written with the key, and which were taken over (A4)', async () => {
    using own = new Home();
    await own.run(['chat', '-p', 'Transfer 200 to ABC123']);
    const journal = join(own.sessions, own.id, 'journal.jsonl');
    const records = readFileSync(journal, 'utf8').trimEnd().split('\n').length;
    const { mac } = JSON.parse(readFileSync(journal, 'utf8').trimEnd().split('\n').at(-1) ?? '') as Loose;
    const forgery = {
      v: 2,
      seq: records + 1,
      prev: String(mac).slice(0, 16),
      at: '2026-01-02T03:04:05.000Z',
    };
    const added = { ...forgery, scope: '', event: { type: 'model-started', attempt: 2 } };
    appendFileSync(journal, sealLine(JSON.stringify(added).slice(0, -1)));
    const found = await own.run(['audit', 'verify', own.id]);
    expect(found.status).toBe(5);
    expect(found.stdout).toMatch(/^checked +1 question, 0 answers, /mu);
    expect(found.stdout).toContain(
      `written   events 1-${records} with your key; event ${records + 1} not with your key\n`,
    );
    expect(found.stdout).toContain(
      'result    not yours: events that were not signed with your key are not trusted',
    );
    await own.run(['answer', own.id, 'n', '--run']);
    const after = await own.run(['audit', 'verify', own.id]);
    expect([after.status, after.stdout]).toEqual([
      0,
      expect.stringMatching(
        `event ${records + 1} not with your key, taken over by you in event ${records + 2}; events ${records + 2}-`,
      ),
    ]);
    expect(after.stdout).toMatch(/^result +partly yours/mu);
    const line = `event ${records + 1} was not signed with your key\n`;
    expect((await own.run(['show', own.id])).stderr).toContain(line);
    expect((await own.run(['export', own.id])).stderr).toContain(line);
    const { stdout: fork } = await own.run(['fork', own.id, '--json']);
    const { session = '' } = JSON.parse(fork) as { session?: string };
    const forked = await own.run(['audit', 'verify', session]);
    expect(forked.stdout).toMatch(/^parent +fork of .*, part of which was not signed with your key$/mu);
    expect(forked.stdout).toMatch(/^result +partly yours/mu);
  });

  test('a session that came back without its last records is not whole, and says where they are missing', async () => {
    using own = new Home();
    await own.run(['chat', '-p', 'Transfer 200 to ABC123']);
    const before = join(own.path, 'before');
    cpSync(join(own.sessions, own.id), before, { recursive: true });
    await own.run(['answer', own.id, 'n']);
    cpSync(before, join(own.sessions, own.id), { recursive: true });
    const found = await own.run(['audit', 'verify', own.id]);
    expect([found.status, found.stdout]).toEqual([
      5,
      expect.stringMatching(/^missing +2 events\nresult +not intact: some events are missing$/mu),
    ]);
    await own.run(['answer', own.id, 'n']);
    const after = await own.run(['audit', 'verify', own.id]);
    expect([after.status, after.stdout]).toEqual([
      0,
      expect.stringMatching(/^missing +2 events, before event \d+\nresult +partly yours: /mu),
    ]);
  });

  test('G11 an answer for another hash does not fit the session', async () => {
    const session = forged(
      'other-hash',
      changed('interrupt-resolved', 0, (event) => ({ ...event, digest: 'f'.repeat(64) })),
    );
    expect(await verify(session)).toMatchObject({
      status: 5,
      chain: { status: 'damaged', where: { kind: 'illegal-event' } },
    });
  });

  test('G11 a question that shows something else than its hash says', async () => {
    const session = forged(
      'other-input',
      changed('interrupt-raised', 1, ({ interrupt, ...event }) => {
        const { source, ...rest } = interrupt as Loose & { source: Loose };
        const input = { toAccount: 'DEF456', amount: 1 };
        return { ...event, interrupt: { ...rest, source: { ...source, input } } };
      }),
    );
    expect(await verify(session)).toMatchObject({
      status: 5,
      chain: { status: 'damaged', where: { kind: 'illegal-event' } },
    });
  });

  test('G12 a tool that ran with an input that was not approved', async () => {
    const session = forged(
      'other-run',
      changed('tool-started', 1, (event) => ({ ...event, input: { toAccount: 'ABC123', amount: 9000 } })),
    );
    expect(await verify(session)).toMatchObject({
      status: 5,
      chain: { status: 'damaged', where: { kind: 'illegal-event' } },
    });
  });

  test('an answer of nobody that an older version kept: it is found, and the session can be shown', async () => {
    const by = { kind: 'human', name: 'slack' };
    const session = forged(
      'of-nobody',
      changed('interrupt-resolved', 0, (event) => ({ ...event, by })),
    );
    const why = 'cannot tell who decided: `by.type` must be person, script or rule';
    const report = await verify(session);
    expect(report).toMatchObject({ status: 5, ok: false, chain: { status: 'ok' } });
    expect(report['findings']).toEqual([{ seq: expect.any(Number) as number, rule: 'G11', what: why }]);
    const doctor = await home.run(['doctor', session]);
    expect([doctor.status, doctor.stdout]).toEqual([5, expect.stringContaining(`: ${why}\n`)]);
    for (const command of ['show', 'why']) {
      const { status, stdout } = await home.run([command, session]);
      expect([command, status, stdout]).toEqual([command, 0, expect.stringContaining('somebody unknown')]);
    }
  });

  test('G10 a tool that ran again without asking', async () => {
    const session = forged('again', (records) =>
      records.flatMap((record) => {
        const { event } = record;
        return event['attempt'] === 2 ? [record, { ...record, event: { ...event, attempt: 3 } }] : [record];
      }),
    );
    const { status, findings } = await verify(session);
    expect(status).toBe(5);
    expect(findings).toHaveLength(3);
    expect(findings).toMatchObject([{ rule: 'G10' }, { rule: 'G10' }, { rule: 'G10' }]);
  });

  test('an answer by a grant that does not name its use', async () => {
    const session = forged('no-use', (records) =>
      records.map((record) => {
        const { event } = record;
        const by = event['by'] as { rule?: string } | undefined;
        if (event.type !== 'interrupt-resolved' || by?.rule?.startsWith('always ') !== true) return record;
        return { ...record, event: { ...event, by: { ...by, rule: by.rule.replace('always', 'granted') } } };
      }),
    );
    const { status, findings } = await verify(session);
    expect({ status, findings }).toMatchObject({
      status: 5,
      findings: [{ rule: 'G11', what: expect.stringContaining('does not specify the use') as string }],
    });
  });

  test('T8 a rule that nobody had added', async () => {
    const session = forged('no-rule', (records) =>
      records.filter(({ event }) => event.type !== 'rule-added'),
    );
    const { status, findings } = await verify(session);
    expect({ status, findings }).toMatchObject({
      status: 5,
      findings: [{ rule: 'G11', what: expect.stringContaining('by a rule that was never added') as string }],
    });
  });

  test('G24 a writer that is left out', async () => {
    const session = forged(
      'no-writer',
      changed('session-opened', 0, (event) => ({ ...event, epoch: 2 })),
    );
    expect(await verify(session)).toMatchObject({ status: 5 });
  });

  test('no such session is status 4', async () => {
    const { status } = await home.run(['audit', 'verify', 'nothing']);
    expect(status).toBe(4);
  });
});

describe('what is said of a call', () => {
  test('is the bytes that ran, escaped once (adopter 15)', async () => {
    using own = new Home();
    const input = { path: 'notes.md', content: 'changed\n"a\\b"' };
    const model = scriptModel(own, [{ tools: [{ name: 'write_file', input }] }, { text: 'done' }]);
    const chat = ['chat', '-p', 'go', '--model', model, '--yes', 'write_file'];
    await own.run(chat, { cwd: own.work });
    const bytes = String.raw`"content":"changed\n\"a\\b\""`;
    for (const words of [
      ['show', own.id, '--effects'],
      ['why', own.id, '--verbose'],
    ]) {
      const { stdout } = await own.run(words);
      expect(stdout.replaceAll(/\n\s*/gu, '')).toContain(bytes);
    }
  });
});

describe('why', () => {
  test('tells of each decision: who, when, what was shown, its hash, and what ran', async () => {
    const { status, stdout } = await home.run(['why', id, '--json']);
    const decisions = JSON.parse(stdout) as Loose[];
    expect(status).toBe(0);
    expect(decisions).toMatchObject([
      {
        interrupt: 'i1',
        kind: 'confirmation',
        tool: 'transfer_money',
        shown: { input: { toAccount: 'ABC123', amount: 200 } },
        digest: expect.stringMatching(/^[0-9a-f]{64}$/u) as string,
        decided: {
          by: { type: 'script', via: 'stdin' },
          resolution: { action: 'restart', input: { toAccount: 'ABC123', amount: 150 } },
        },
        ran: [{ attempt: 2, input: { toAccount: 'ABC123', amount: 150 }, outcome: 'output' }],
      },
      { interrupt: 'i2', decided: { resolution: { action: 'restart' } } },
      { interrupt: 'i3', decided: { by: { type: 'rule', rule: 'always transfer_money' } } },
    ]);
  });

  test('is a screen for people: who, when, from where, what was shown and changed, and no id, hash or process', async () => {
    const { status, stdout } = await home.run(['why', id]);
    const [first = '', , third = ''] = stdout.replaceAll(/\b\d\d:\d\d\b/gu, 'TIME').split('\n\n');
    const who = userInfo().username;
    expect([status, first]).toEqual([
      0,
      [
        'Transfer 200 to ABC123',
        '    transfer_money · bank example',
        '    │ balance: 1000  (from the tool)',
        '    Reason: transfers above 100',
        '  asked TIME by the tool while it ran',
        `  approved by ${who} on stdin, line 2, TIME  (changed: amount 200 → 150)`,
        '  ran (attempt 2): done, transferred: 150, toAccount: ABC123, balance: 850',
      ].join('\n'),
    ]);
    expect(third).toContain(
      '\n  approved by rule `always transfer_money`, TIME\n  because the rule `always transfer_money` (a question in this session) allows every call of `transfer_money`\n',
    );
    expect(stdout).not.toMatch(/[0-9a-f]{8}|process \d|\bi[1-3]\b|event \d|[{}]/u);
  });

  test.for(['i2', 'transfer_money'])('takes %s for what it is about', async (wanted) => {
    const { status, stdout } = await home.run(['why', id, wanted, '--verbose']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^i2 {2}confirmation of transfer_money \(/mu);
    expect(stdout).toMatch(/^ {2}hash +[0-9a-f]{64}$/mu);
    expect(stdout.includes('i1 ')).toBe(wanted !== 'i2');
  });

  test('names what is known where nothing was asked about it', async () => {
    const { status, stderr } = await home.run(['why', id, 'i9']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('hint: questions: i1, i2, i3');
  });
});
