import { describe, expect, test } from 'vitest';

import { toolRef } from '../../src/core/index.js';
import type { SessionEvent } from '../../src/core/index.js';
import { TextRenderer, createTheme } from '../../src/render/index.js';
import type { TextRendererOptions } from '../../src/render/index.js';
import { FakeScreen } from './outputs.js';
import {
  calls,
  modelSays,
  outputs,
  starts,
  stateOf,
  statesOf,
  story,
  transients,
  userSays,
} from './story.js';

function run(events: readonly SessionEvent[], options: Partial<TextRendererOptions> = {}): FakeScreen {
  const screen = new FakeScreen();
  const theme = createTheme({ colour: false });
  const renderer = new TextRenderer({ ...screen.streams, theme, now: () => 0, ...options });
  const states = statesOf(events);
  events.forEach((event, index) => {
    renderer.event(event, index + 1, states[index]!);
  });
  renderer.stopped(states.at(-1)!);
  return screen;
}

describe('a session as text', () => {
  test('has the final text of each turn on stdout and nothing else', () => {
    expect(run(story).out).toBe('Moved 150.\n');
    const turns = [
      userSays('a'),
      modelSays('One.\n'),
      userSays('b'),
      modelSays(''),
      userSays('c'),
      modelSays('Two'),
    ];
    expect(run(turns).out).toBe('One.\nTwo\n');
  });

  test('sets the texts before and after a call of the provider apart', () => {
    const call = { type: 'server_tool_use', name: 'web_search', input: { query: 'who wins' } };
    const parts = [
      { type: 'text', text: 'Before.' },
      { type: 'data', data: call },
      { type: 'data', data: { type: 'web_search_tool_result', content: [] } },
      { type: 'text', text: 'After.' },
    ] as const;
    expect(run([userSays('a'), modelSays(...parts)]).out).toBe('Before.\n\nAfter.\n');
  });

  test('has ten lines of progress of a call, and counts the rest', () => {
    const screen = new FakeScreen();
    const renderer = new TextRenderer({
      ...screen.streams,
      theme: createTheme({ colour: false }),
      now: () => 0,
    });
    const events = [userSays('x'), modelSays(calls('a', 'run', {})), starts('a', 'run', {})];
    const tell = (event: SessionEvent) => {
      events.push(event);
      renderer.event(event, events.length, stateOf(events));
    };
    for (let line = 1; line <= 12; line += 1)
      renderer.transient({ type: 'tool-progress', ref: toolRef('a'), name: 'run', text: `line ${line}` });
    tell(outputs('a', null));
    const lines = screen.err.split('\n');
    expect(lines.slice(0, 1)).toEqual(['  run: line 1']);
    expect(lines.slice(9)).toEqual(['  run: line 10', '  (2 more progress lines)', '✓ run · null', '']);
  });

  test('does not stream', () => {
    const screen = new FakeScreen();
    const renderer = new TextRenderer({
      ...screen.streams,
      theme: createTheme({ colour: false }),
      now: () => 0,
    });
    for (const event of transients) renderer.transient(event);
    expect([screen.out, screen.err]).toEqual([
      '',
      'overloaded; retrying in 4 s (attempt 2)\n  transfer_money: asking the bank\n',
    ]);
  });

  test('has a plain line for each step on stderr', () => {
    expect(run(story).err.split('\n')).toEqual([
      '→ balance',
      '✗ balance failed · no such account',
      '● transfer_money needs your approval (i1)  to: Ann, amount: 200',
      'allowed in this session (ask and deny rules still apply): always balance',
      '✓ you approved  transfer_money  Ann, 150  (with your change: amount 200 → 150)',
      '→ transfer_money  to: Ann, amount: 150',
      '✓ transfer_money  Ann, 150 · moved: 150',
      '● run reached a limit (i2)  limit: turns, spent: 5',
      '✓ stdin line 3 extended  the run  “5 rounds”',
      'continues with demo, 1 tool',
      '',
    ]);
  });

  test('has none of them, and no spinner, when it is quiet', () => {
    expect(run(story, { quiet: true }).log).toEqual(['Moved 150.\n']);
  });

  test('says that the model did not finish, also when it is quiet', () => {
    const cut: SessionEvent = {
      type: 'message-added',
      message: { role: 'model', content: [{ type: 'text', text: 'I will' }] },
      end: 'refusal',
    };
    expect(run([userSays('x'), cut], { quiet: true })).toMatchObject({
      out: 'I will\n',
      err: 'The model declined to continue\n',
    });
  });

  test('has usage and cost when it is verbose', () => {
    expect(run(story, { verbose: true }).err).toContain('2,400 in, 68 out, $0.0246 (session $0.0246)\n');
  });

  test.for([
    ['All done.', 'All done.\n'],
    [{ ok: true }, '{"ok":true}\n'],
  ])('has the output %j of a tool that ended the run', ([output, text]) => {
    const events = [
      userSays('x'),
      modelSays('On it.', calls('a', 'finish', {})),
      starts('a', 'finish', {}),
      outputs('a', output!),
      { type: 'run-ended', reason: { type: 'finished', output: output!, by: 'finish' } } as const,
    ];
    expect(run(events).out).toBe(text);
  });

  test('says why a run failed only where the caller does not', () => {
    const failed = {
      type: 'run-ended',
      reason: { type: 'failed', error: { code: 'X', message: 'no' } },
    } as const;
    const texts = [
      run([userSays('x'), failed]).err,
      run([userSays('x'), failed], { failures: true, quiet: true }).err,
    ];
    expect(texts).toEqual(['', 'error: no\n']);
  });

  test('says what the product has to say, and why a reply ended', () => {
    const screen = new FakeScreen();
    const renderer = new TextRenderer({
      ...screen.streams,
      theme: createTheme({ colour: false }),
      now: () => 0,
    });
    const started = { type: 'model-started', attempt: 1 } as const;
    renderer.event(started, 1, statesOf([started])[0]!);
    renderer.notice('a tail was cut\u0007');
    renderer.pause();
    expect(screen.log).toEqual([
      '<waiting for the model>',
      '</>',
      'a tail was cut\\u{7}\n',
      '<waiting for the model>',
      '</>',
    ]);
    const cut = { ...modelSays('Hel'), end: 'length' } as SessionEvent;
    expect(run([userSays('x'), cut]).err).toBe('Reply cut off: output token limit reached\n');
  });

  test('lets nothing raw out', () => {
    expect(run([userSays('x'), modelSays('a\u001B[2Jb\n\tc')]).out).toBe('a\\u{1B}[2Jb\n\tc\n');
  });
});
