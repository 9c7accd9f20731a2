import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { escapeText, openInterrupts, transcriptMessages } from '../../src/core/index.js';
import type { Part, SessionEvent, SessionId, TranscriptDocument } from '../../src/core/index.js';
import { createTheme, transcriptMarkdown, transcriptText } from '../../src/render/index.js';
import { hostileText, rawParts } from './hostile.js';
import {
  calls,
  confirmation,
  decides,
  fails,
  limit,
  modelSays,
  outputs,
  raises,
  starts,
  stateOf,
  story,
  userSays,
} from './story.js';

const theme = createTheme({ colour: false });

function shown(events: readonly SessionEvent[], columns = 80): string {
  return transcriptText(stateOf(events), { theme, columns });
}

function documentOf(events: readonly SessionEvent[], title = 'Rent'): TranscriptDocument {
  const state = stateOf(events);
  const answered = state.resolved
    .toArray()
    .map(({ interrupt, ...decided }) => ({ ...interrupt, ...decided }));
  return {
    format: 'hitl-transcript',
    version: 1,
    id: 's1' as SessionId,
    title,
    createdAt: '2026-01-02T03:04:05.000Z',
    updatedAt: '2026-01-02T03:09:05.000Z',
    ...(state.agent !== undefined && { agent: state.agent }),
    status: 'done',
    messages: transcriptMessages(state),
    interrupts: [...answered, ...openInterrupts(state)],
    usage: state.usage,
  };
}

/** A session that says the given text wherever one can be said. */
function saying(text: string, other: string): readonly SessionEvent[] {
  const asked = confirmation('i1', 'a', other, { [text]: other });
  const parts: readonly Part[] = [
    { type: 'reasoning', text },
    { type: 'media', url: text, contentType: other },
    { type: 'data', data: text },
    calls('a', other, { [text]: other }),
    calls('b', text, other),
  ];
  return [
    userSays(text),
    modelSays(text, ...parts),
    starts('b', text, other),
    fails('b', text),
    raises(asked),
    decides(asked, { action: 'restart', input: text }, { type: 'person', name: text, via: 'answer' }),
    { type: 'run-ended', reason: { type: 'failed', error: { code: 'X', message: text }, partial: other } },
  ];
}

describe('a transcript as text', () => {
  test('has messages, calls with both inputs, who answered what and when', () => {
    expect(shown(story).split('\n')).toEqual([
      'you',
      '  Hello',
      '',
      'demo',
      '  Good day.',
      '',
      'you',
      '  Transfer 200 to Ann',
      '',
      'demo',
      '  I will do **that**.',
      '  → transfer_money to: "Ann", amount: 200',
      '    ✎ approved with a change by ann at the terminal, 2026-01-02 03:06 UTC (i1)',
      '      before to: "Ann", amount: 200',
      '      after  to: "Ann", amount: 150',
      '    ✓ moved: 150',
      '  → balance {}',
      '    ✗ failed no such account',
      '',
      'demo',
      '  Moved 150.',
      '',
      '✓ extended by stdin line 3, 2026-01-02 03:06 UTC (i2): 5 rounds',
      '',
    ]);
  });

  test('tells what is open, started or not, and what stopped it', () => {
    const asked = confirmation('i1', 'a', 'pay', { amount: 2 });
    const turn = [
      userSays('Pay\nthem'),
      modelSays(calls('a', 'pay', { amount: 2 }), calls('b', 'ask', {}), calls('c', 'look', {})),
      starts('b', 'ask', {}),
      raises(asked),
      raises(limit('i2')),
      { type: 'run-ended', reason: { type: 'aborted', partial: 'I was go' } },
    ] as const;
    expect(shown(turn).split('\n')).toEqual([
      'you',
      '  Pay',
      '  them',
      '',
      'model',
      '  → pay amount: 2',
      '    ● needs your approval (i1), asked 2026-01-02 03:05 UTC',
      '  → ask {}',
      '    started 2026-01-02 03:04 UTC, not finished',
      '  → look {}',
      '    not started yet',
      '',
      '● run reached a limit (i2), asked 2026-01-02 03:05 UTC',
      '',
      'I was go',
      '[stopped]',
      '',
    ]);
  });

  test('cuts nothing that is long', () => {
    const long = 'word '.repeat(100).trim();
    const text = shown([userSays('x'), modelSays(calls('a', 'note', { long, short: 1 }))], 40);
    expect(text.split('\n').slice(3)).toEqual([
      'model',
      '  → note',
      '    long:',
      `      │ ${long}`,
      '    short: 1',
      '    not started yet',
      '',
    ]);
  });

  test.for([
    [3, '✗ exit 3'],
    [0, '✓ exit 0'],
  ] as const)('says of a command that ended with %d that it did', ([exitCode, head]) => {
    const output = { exitCode, signal: null, output: 'one\ntwo\n', omittedCharacters: 0 };
    const text = shown([
      userSays('x'),
      modelSays(calls('a', 'run_command', { command: 'seq 2' })),
      starts('a', 'run_command', { command: 'seq 2' }),
      outputs('a', output),
    ]);
    expect(text.split('\n').slice(3)).toEqual([
      'model',
      '  → run_command command: "seq 2"',
      `    ${head}`,
      '      │ one',
      '      │ two',
      '',
    ]);
  });

  test('cuts long values where it can say how to see them', () => {
    const printed = Array.from({ length: 50 }, (_, at) => `line ${at + 1}`);
    const command = { exitCode: 1, signal: null, output: printed.join('\n') };
    const events = [
      userSays('x'),
      modelSays(calls('a', 'run_command', { command: 'make' }), calls('b', 'note', { many: printed })),
      ...[starts('a', 'run_command', { command: 'make' }), outputs('a', command)],
      ...[starts('b', 'note', { many: printed }), outputs('b', 'x'.repeat(6000))],
    ];
    const text = transcriptText(
      stateOf(events),
      { theme, columns: 80 },
      { whole: escapeText('hitl show s1 --full') },
    );
    expect(text.split('\n').slice(3)).toEqual([
      'model',
      '  → run_command command: "make"',
      '    ✗ exit 1',
      '      … 10 lines before these (hitl show s1 --full shows all)',
      ...printed.slice(10).map((line) => `      │ ${line}`),
      '  → note',
      '    many:',
      ...printed.slice(0, 39).map((line) => `      - "${line}"`),
      '    … 11 more lines (hitl show s1 --full shows all)',
      '    ✓',
      `      │ ${'x'.repeat(998)}`,
      '      … 5002 more characters (hitl show s1 --full shows all)',
      '',
    ]);
    expect(shown(events)).toContain(`│ ${'x'.repeat(6000)}\n`);
  });

  test('shows content that is no text', () => {
    const parts: readonly Part[] = [
      { type: 'reasoning', text: 'hm\nso' },
      { type: 'media', url: 'https://x.y/a.png', contentType: 'image/png' },
      { type: 'media', url: 'data:image/png;base64,AAAA' },
      { type: 'data', data: {} },
      { type: 'data', data: { type: 'server_tool_use', name: 'web_search', input: { query: 'who wins' } } },
    ];
    expect(
      shown([userSays('x'), modelSays(...parts)])
        .split('\n')
        .slice(3),
    ).toEqual([
      'model',
      '  │ hm',
      '  │ so',
      '  [image/png https://x.y/a.png]',
      '  [image/png 3 bytes]',
      '  [provider data]',
      '  → web_search run by the provider  query: who wins',
      '',
    ]);
  });

  test('of an imported history has its results', () => {
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'model', content: [calls('a', 'pay', { amount: 2 })] },
      { role: 'tool', content: [{ type: 'tool-response', ref: 'a', name: 'pay', output: { ok: true } }] },
    ] as never;
    const events = [{ type: 'history-imported', messages }] as const;
    expect(shown(events)).toBe(
      'system\n  Be kind.\n\nmodel\n  → pay\n    amount: 2\n\ntool\n  pay\n    ok: true\n',
    );
    expect(transcriptMarkdown(documentOf(events))).toContain(
      '## System\n\nBe kind.\n\n## Model\n\n### Tool call `pay`\n\n```json\n{\n  "amount": 2\n}\n```\n\n## Tools\n\n### Result of `pay`\n',
    );
  });

  test('of nothing is nothing', () => {
    expect(shown([])).toBe('');
  });

  test('lets nothing raw out', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (text, other) => {
        expect(rawParts(shown(saying(text, other), 40))).toEqual([]);
      }),
    );
  });
});

describe('a transcript as markdown', () => {
  test('has a section for each message, fenced values and every decision', () => {
    const asked = confirmation('i1', 'a', 'pay', { amount: 2 });
    const events = [
      story[0]!,
      userSays('Pay `2`'),
      modelSays('Sure.', calls('a', 'pay', { amount: 2 })),
      raises(asked),
      decides(asked, { action: 'respond', output: 'a\n```\nb' }),
      modelSays('Done.'),
    ];
    expect(transcriptMarkdown(documentOf(events)).split('\n')).toEqual([
      '# Rent',
      '',
      '- session: `s1`, done',
      '- model: `demo`',
      '- from 2026-01-02 03:04 UTC to 2026-01-02 03:09 UTC',
      '- tokens: 2,400 in, 68 out, $0.0246',
      '',
      '## You',
      '',
      'Pay `2`',
      '',
      '## demo',
      '',
      'Sure.',
      '',
      '### Tool call `pay`',
      '',
      '```json',
      '{',
      '  "amount": 2',
      '}',
      '```',
      '',
      '**Decided:** provided the result by ann at the terminal, 2026-01-02 03:06 UTC (`i1`)',
      '',
      '````',
      'a',
      '```',
      'b',
      '````',
      '',
      '## Tools',
      '',
      '### Result of `pay`',
      '',
      '````',
      'a',
      '```',
      'b',
      '````',
      '',
      '## demo',
      '',
      'Done.',
      '',
    ]);
  });

  test('has reasoning, media, failures, parked results and decisions about the run', () => {
    const reached = limit('i2');
    const asked = confirmation('i1', 'a', 'pay', {});
    const parts: readonly Part[] = [
      { type: 'reasoning', text: 'hm\nso' },
      { type: 'media', url: 'data:,a', contentType: 'text/plain' },
      { type: 'data', data: 1 },
      { type: 'text', text: ' ' },
      calls('a', 'pay', {}),
      calls('b', 'ask', {}),
    ];
    const turn = [
      userSays('x'),
      modelSays(...parts),
      starts('b', 'ask', {}),
      fails('b', 'broken'),
      raises(asked),
    ];
    const open = transcriptMarkdown(documentOf(turn));
    const closed = transcriptMarkdown(
      documentOf([
        ...turn,
        decides(asked, { action: 'reject', reason: 'no' }),
        raises(reached),
        decides(reached, { action: 'extend', by: 1 }),
      ]),
    );
    expect(open).toContain('## Model\n\n> hm\n> so\n\n[text/plain 1 byte]\n\n### Tool call `pay`');
    expect(open).toContain('Result (held until the other calls are answered):\n\n```json\n"broken"\n```\n');
    expect(closed).toContain(
      '**Decided:** rejected by ann at the terminal, 2026-01-02 03:06 UTC (`i1`): no\n',
    );
    expect(closed).toContain('### Error (failed) of `ask`\n\n```json\n"broken"\n```\n');
    expect(closed).toContain(
      '**Decided:** extended by ann at the terminal, 2026-01-02 03:06 UTC (`i2`): 1 round\n',
    );
  });

  test('has both inputs of an edit, and what is open', () => {
    const asked = confirmation('i1', 'a', 'pay', { amount: 2 });
    const turn = [
      userSays('x'),
      modelSays(calls('a', 'pay', { amount: 2 }), calls('b', 'ask', {})),
      raises(asked),
    ];
    const open = transcriptMarkdown(documentOf(turn));
    const edited = transcriptMarkdown(
      documentOf([...turn, decides(asked, { action: 'restart', input: { amount: 1 } })]),
    );
    expect(open).toContain('**Open:** needs your approval (`i1`), asked 2026-01-02 03:05 UTC\n');
    expect(edited).toContain(
      '**Decided:** approved with a change by ann at the terminal, 2026-01-02 03:06 UTC (`i1`)\n\nBefore:\n\n```json\n{\n  "amount": 2\n}\n```\n\nAfter:\n\n```json\n{\n  "amount": 1\n}\n```\n',
    );
  });

  test('lets nothing raw out', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (text, other) => {
        expect(rawParts(transcriptMarkdown(documentOf(saying(text, other), text)))).toEqual([]);
      }),
    );
  });
});
