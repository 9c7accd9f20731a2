import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { callAt, LastLine, ROOT_PATH, toolRef } from '../../src/core/index.js';
import type { SessionEvent, TransientEvent } from '../../src/core/index.js';
import { createTheme, TerminalRenderer } from '../../src/render/index.js';
import { hostileText, rawParts } from './hostile.js';
import { FakeScreen } from './outputs.js';
import {
  agent,
  calls,
  confirmation,
  decides,
  fails,
  modelSays,
  outputs,
  raises,
  starts,
  statesOf,
  stateOf,
  story,
  userSays,
} from './story.js';

interface Shown {
  readonly screen: FakeScreen;
  readonly renderer: TerminalRenderer;
  /** Tells the renderer of events, which follow all those before. */
  tell(...events: readonly (SessionEvent | TransientEvent)[]): void;
}

const TRANSIENT = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'provider-call',
  'retrying',
  'restarted',
  'tool-progress',
]);

function isTransient(event: SessionEvent | TransientEvent): event is TransientEvent {
  return TRANSIENT.has(event.type);
}

interface ShownOptions {
  readonly lastLine?: LastLine;
  readonly quiet?: boolean;
  readonly columns?: number;
  readonly unfold?: string;
  readonly now?: () => number;
  readonly spaced?: boolean;
  readonly afterFrame?: (draw: () => void) => void;
}

function shown(options: ShownOptions = {}): Shown {
  const screen = new FakeScreen(options.columns);
  const renderer = new TerminalRenderer({
    ...screen.streams,
    theme: createTheme({ colour: false }),
    now: options.now ?? (() => 0),
    quiet: options.quiet ?? false,
    ...(options.unfold !== undefined && { unfold: options.unfold }),
    ...(options.spaced !== undefined && { spaced: options.spaced }),
    ...(options.lastLine !== undefined && { lastLine: options.lastLine }),
    ...(options.afterFrame !== undefined && { afterFrame: options.afterFrame }),
  });
  const past: SessionEvent[] = [{ type: 'session-created', agent }];
  return {
    screen,
    renderer,
    tell(...events) {
      for (const event of events) {
        if (isTransient(event)) renderer.transient(event);
        else {
          past.push(event);
          renderer.event(event, past.length, stateOf(past));
        }
      }
    },
  };
}

const delta = (text: string): TransientEvent => ({ type: 'text-delta', text });
const started: SessionEvent = { type: 'model-started', attempt: 1 };
const done: SessionEvent = { type: 'run-ended', reason: { type: 'done' } };

/** Answers from another process. */
const elsewhere = { type: 'person', name: 'ann', via: 'answer' } as const;

describe('a session on a terminal', () => {
  test('says what changed where only a setting of the agent did', () => {
    const { screen, tell } = shown();
    tell({ type: 'agent-changed', agent: { ...agent, effort: 'low' } });
    tell({ type: 'agent-changed', agent: { ...agent, effort: 'high' } });
    tell({ type: 'agent-changed', agent });
    tell({ type: 'agent-changed', agent: { ...agent, model: 'quick', mode: 'read-only' } });
    expect(screen.err).toBe(
      'continues with demo, 1 tool, effort low\neffort: high\neffort: default\ncontinues with quick, 1 tool, mode read-only\n',
    );
  });

  test('shows text on stdout and a line for each step on stderr', () => {
    const { screen, renderer } = shown();
    const states = statesOf(story);
    story.forEach((event, index) => {
      renderer.event(event, index + 1, states[index]!);
    });
    renderer.stopped(states.at(-1)!);
    expect(screen.out).toBe('  I will do **that**.\n  Moved 150.\n');
    expect(screen.err.split('\n')).toEqual([
      '→ balance',
      '  ✗ failed no such account',
      '✓ transfer_money  Ann, 150 · moved: 150',
      '✓ stdin line 3 extended  the run  “5 rounds”',
      'continues with demo, 1 tool',
      '',
    ]);
    expect(screen.isSpinning).toBe(false);
  });

  test('says what is waited for, and nothing is written under it (E10)', () => {
    const { screen, tell } = shown();
    tell(userSays('x'), started, { type: 'reasoning-delta', text: 'hm' }, delta('Hel'), delta('lo you'));
    tell({ type: 'tool-input-delta', name: 'balance', characters: 3 });
    tell(modelSays('Hello you', calls('a', 'balance', {}), calls('b', 'ask', {})));
    tell(starts('a', 'balance', {}), starts('b', 'ask', {}), outputs('a', 1));
    expect(screen.log).toEqual([
      '<waiting for demo>',
      '<thinking: hm>',
      '</>',
      '  Hello ',
      'you\n',
      '<preparing balance>',
      '</>',
      '<running balance>',
      '<running balance, ask>',
      '</>',
      '→ balance\n',
      '  ✓ 1\n',
      '<running ask>',
    ]);
  });

  test('shows what did not stream of a reply, once', () => {
    const { screen, tell } = shown();
    tell(userSays('x'), started, delta('Hello '), modelSays('Hello world'), done);
    expect(screen.out).toBe('  Hello world\n');
  });

  test('says so where a reply is not what was shown', () => {
    const { screen, tell } = shown();
    tell(userSays('x'), started, delta('Helo '), modelSays('Hello'), done);
    expect([screen.out, screen.err]).toEqual([
      '  Helo \n  Hello\n',
      '[the final reply differs from the text above]\n',
    ]);
  });

  test('says so where a reply starts again, and where it is asked for again', () => {
    const { screen, tell } = shown();
    tell(userSays('x'), started, delta('Hel'), {
      type: 'retrying',
      attempt: 2,
      waitMs: 4000,
      reason: 'overloaded',
    });
    tell({ type: 'restarted' }, delta('Hello'), modelSays('Hello'), done);
    expect(screen.out).toBe('  Hel\n  Hello\n');
    expect(screen.err).toBe('overloaded; retrying in 4 s (attempt 2)\n[reply interrupted; starting over]\n');
    expect(screen.log).toContain('<attempt 2>');
  });

  test('marks a reply that was stopped, after all that was complete of it', () => {
    const { screen, tell } = shown();
    tell(userSays('x'), started, delta('Hello **wor'));
    tell({ type: 'run-ended', reason: { type: 'aborted', partial: 'Hello **wor' } });
    expect([screen.out, screen.err]).toEqual(['  Hello **wor\n', '[stopped]\n']);
  });

  test.for<[SessionEvent & { type: 'run-ended' }, string]>([
    [
      {
        type: 'run-ended',
        reason: { type: 'failed', error: { code: 'MODEL_FAILED', message: 'no', hint: 'wait' } },
      },
      'error: no\nhint: wait\n',
    ],
    [{ type: 'run-ended', reason: { type: 'limit', limit: 'turns' } }, 'stopped: tool round limit reached\n'],
  ])('says why a run ended: %j', ([ended, text]) => {
    const { screen, tell } = shown({ quiet: true });
    tell(userSays('x'), started, ended);
    expect(screen.err).toBe(text);
  });

  test('shows the output of a tool that ended the run', () => {
    const { screen, tell } = shown();
    tell(
      userSays('x'),
      modelSays(calls('a', 'finish', {})),
      starts('a', 'finish', {}),
      outputs('a', 'All **done**.'),
    );
    tell({ type: 'run-ended', reason: { type: 'finished', output: 'All **done**.', by: 'finish' } });
    expect(screen.out).toBe('  All **done**.\n');
  });

  test.for([
    ['length', 'Reply cut off: output token limit reached\n'],
    ['refusal', 'The model declined to continue\n'],
    ['context-window', 'Context window exceeded\n'],
    ['stop', ''],
  ] as const)('says why a reply ended with %s', ([end, text]) => {
    const { screen, tell } = shown();
    tell(userSays('x'), {
      type: 'message-added',
      message: { role: 'model', content: [{ type: 'text', text: 'a' }] },
      end,
    });
    expect(screen.err).toBe(text);
  });

  test('writes no line of progress of a call: what runs is told with them', () => {
    const { screen, tell } = shown();
    tell(userSays('x'), modelSays(calls('a', 'run', {})), starts('a', 'run', {}));
    for (const text of ['line 1', `line 2\u001b[2J${'x'.repeat(100)}`])
      tell({ type: 'tool-progress', ref: toolRef('a'), name: 'run', text });
    tell(outputs('a', null));
    expect(screen.err).toBe('→ run\n  ✓ null\n');
    expect(screen.log.filter((text) => text.startsWith('<running'))).toEqual([
      '<running run>',
      '<running run>',
      '<running run>',
    ]);
  });

  test.for([
    [{ action: 'restart' }, '✓ ann approved  pay  2  from another terminal'],
    [
      { action: 'restart', input: { amount: 1 } },
      '✓ ann approved  pay  1  (changed: amount 2 → 1)  from another terminal',
    ],
    [
      { action: 'respond', output: { ok: true } },
      '✓ ann provided the result  pay  2  ok yes  from another terminal',
    ],
    [
      { action: 'reject', reason: 'use the savings account' },
      '✗ ann rejected  pay  2  “use the savings account”  from another terminal',
    ],
    [{ action: 'reject' }, '✗ ann rejected  pay  2  from another terminal'],
    [{ action: 'cancel', reason: 'no' }, '✗ ann cancelled  pay  2  “no”  from another terminal'],
  ] as const)('shows the decision %j of somebody elsewhere', ([resolution, line]) => {
    const asked = confirmation('i1', 'a', 'pay', { amount: 2 });
    const { screen, tell } = shown();
    tell(
      userSays('x'),
      modelSays(calls('a', 'pay', { amount: 2 })),
      raises(asked),
      decides(asked, resolution, elsewhere),
    );
    expect(screen.err).toBe(`${line}\n`);
  });

  test.for([
    ['where that is the last line, no name', () => undefined, '  ✓ paid: 2\n'],
    [
      'where somebody wrote more since, its call',
      ({ lastLine }: { readonly lastLine: LastLine }) => {
        lastLine.wrote();
      },
      '✓ pay  2 · paid: 2\n',
    ],
  ] as const)(
    'says nothing of a decision at this terminal, nor of the call that it starts; of its result %s',
    ([, write, said]) => {
      const asked = confirmation('i1', 'a', 'pay', { amount: 2 });
      const lastLine = new LastLine();
      const { screen, tell } = shown({ lastLine });
      tell(userSays('x'), modelSays(calls('a', 'pay', { amount: 2 })), raises(asked));
      lastLine.wrote(callAt(ROOT_PATH, toolRef('a')));
      write({ lastLine });
      tell(decides(asked, { action: 'restart' }), starts('a', 'pay', { amount: 2 }));
      tell(outputs('a', { paid: 2 }));
      expect(screen.err).toBe(said);
    },
  );

  test('shows a text of several lines as its first ones, with their number', () => {
    const { screen, tell } = shown();
    tell(userSays('x'), modelSays(calls('a', 'run', {})), starts('a', 'run', {}));
    tell(outputs('a', { exitCode: 0, signal: null, output: 'one\ntwo\u001b[2J\nthree\nfour\n' }));
    expect(screen.err.split('\n')).toEqual([
      '→ run',
      '  ✓ exitCode: 0',
      '    one',
      '    two\\u{1B}[2J',
      '    three',
      '    … 1 more line',
      '',
    ]);
  });

  test('shows no secret of a form that was answered', () => {
    const answerSchema = {
      type: 'object',
      properties: { version: { type: 'string' }, token: { type: 'string', format: 'password' } },
    } as const;
    const asked = { ...confirmation('i1', 'a', 'ask', {}), kind: 'question', answerSchema } as const;
    const output = { version: '1.5', token: 's3cr3t' };
    const { screen, tell } = shown();
    tell(userSays('x'), modelSays(calls('a', 'ask', {})), raises(asked));
    tell(decides(asked, { action: 'respond', output }, elsewhere));
    expect(screen.err.split('\n')).toEqual([
      '✓ ann answered  ask  version 1.5, token ••••••  from another terminal',
      '',
    ]);
  });

  test('tells the start of a call with its result, and of one that asks not at all', () => {
    const { screen, tell } = shown();
    tell(userSays('x'), modelSays(calls('a', 'run', {}), calls('b', 'pay', { amount: 2 })));
    tell(starts('a', 'run', {}), starts('b', 'pay', { amount: 2 }));
    expect(screen.err).toBe('');
    tell(raises(confirmation('i1', 'b', 'pay', { amount: 2 })));
    expect(screen.err).toBe('');
    tell(outputs('a', 1));
    expect(screen.err).toBe('→ run\n  ✓ 1\n');
  });

  test('tells the start of a call that makes progress, and of one that was left without a result', () => {
    const { screen, tell } = shown();
    tell(userSays('x'), modelSays(calls('a', 'run', {}), calls('b', 'look', {})));
    tell(starts('a', 'run', {}), starts('b', 'look', {}));
    tell({ type: 'tool-progress', ref: toolRef('a'), name: 'run', text: 'half' });
    expect(screen.err).toBe('→ run\n');
    tell(outputs('a', 1), { type: 'run-ended', reason: { type: 'aborted' } });
    expect(screen.err).toBe('→ run\n  ✓ 1\n→ look\n[stopped]\n');
  });

  test('does not say a call twice that a rule approved', () => {
    const asked = confirmation('i1', 'a', 'pay', { amount: 2 });
    const { screen, tell } = shown();
    tell(userSays('x'), modelSays(calls('a', 'pay', { amount: 2 })), raises(asked));
    tell(decides(asked, { action: 'restart' }, { type: 'rule', rule: 'pay' }));
    tell(starts('a', 'pay', { amount: 2 }), outputs('a', 1));
    expect(screen.err).toBe('✓ rule pay approved  pay  2\n  ✓ 1\n');
  });

  test('is quiet when it is told to be', () => {
    const { screen, renderer } = shown({ quiet: true });
    const states = statesOf(story);
    story.forEach((event, index) => {
      renderer.event(event, index + 1, states[index]!);
    });
    renderer.stopped(states.at(-1)!);
    expect([screen.out, screen.err]).toEqual(['  I will do **that**.\n  Moved 150.\n', '']);
  });

  test('leaves the screen to whoever asks it to pause', () => {
    const { screen, renderer, tell } = shown();
    tell(userSays('x'), started);
    renderer.pause();
    expect(screen.isSpinning).toBe(false);
    tell(delta('Hello wor'));
    renderer.pause();
    renderer.notice('a tail was cut');
    tell(modelSays('Hello world'));
    expect(screen.log.slice(2)).toEqual(['  Hello ', '\n', 'a tail was cut\n', '<demo>', '</>', '  world\n']);
  });

  test('begins a line of its own where text is in the middle of one', () => {
    const { screen, renderer, tell } = shown();
    tell(userSays('x'), started, delta('Hello wor'));
    renderer.notice('a tail was cut');
    tell(delta('ld again '));
    expect(screen.log.slice(2)).toEqual([
      '  Hello ',
      '\n',
      'a tail was cut\n',
      '<demo>',
      '</>',
      '  world again ',
    ]);
  });

  test('of several turns sets text off from what stands above and below it, and each turn from the next', () => {
    const { screen, renderer, tell } = shown({ spaced: true });
    tell(userSays('x'), started, modelSays('I look.', calls('a', 'run', {})));
    tell(starts('a', 'run', {}), outputs('a', 1), modelSays('And more.\n\nA lot.', calls('b', 'run', {})));
    renderer.pause(); // a question, and its decision
    tell(outputs('b', null), modelSays('Done.'), done);
    renderer.stopped(stateOf([]));
    renderer.pause();
    tell(userSays('y'), started, modelSays('Good day.'), done);
    expect(screen.log.filter((text) => !text.startsWith('<')).join('')).toBe(
      '  I look.\n\n→ run\n  ✓ 1\n\n  And more.\n\n  A lot.\n\n✓ run · null\n\n  Done.\n\n  Good day.\n',
    );
  });

  test('begins no row of the text of a model at the edge, whatever it is (G31)', () => {
    fc.assert(
      fc.property(hostileText(), fc.array(fc.nat({ max: 40 })), (text, cuts) => {
        const { screen, tell } = shown();
        tell(userSays('x'), started);
        let from = 0;
        for (const cut of cuts) {
          tell(delta(text.slice(from, from + cut)));
          from += cut;
        }
        tell(modelSays(text));
        expect(screen.out.split('\n').filter((row) => row !== '' && !row.startsWith('  '))).toEqual([]);
      }),
    );
  });

  test('shows what a command printed by its last lines, and has all of it', () => {
    const { screen, renderer, tell } = shown({ unfold: 'Ctrl-O' });
    const output = Array.from({ length: 5 }, (_, line) => `line ${line}\u001b[2J`).join('\n');
    tell(userSays('x'), modelSays(calls('a', 'run_command', { command: 'npm test' })));
    tell(starts('a', 'run_command', { command: 'npm test' }));
    tell(outputs('a', { exitCode: 1, signal: null, output, omittedCharacters: 0 }));
    const row = (line: number) => `    line ${line}\\u{1B}[2J`;
    expect(screen.err.trimEnd().split('\n')).toEqual([
      '→ Run `npm test`',
      '  ✗ exit 1',
      '    … 2 more lines · Ctrl-O shows all',
      row(2),
      row(3),
      row(4),
    ]);
    expect(renderer.foldRows(80)).toEqual([
      'Run `npm test`',
      ...[0, 1, 2, 3, 4].map((line) => row(line).slice(2)),
    ]);
  });

  test('folds thinking to one line with its time, and has it', () => {
    let now = 0;
    const { screen, renderer, tell } = shown({ unfold: 'Ctrl-O', now: () => now });
    tell(userSays('x'), started, { type: 'reasoning-delta', text: 'First I look.\u001b[2J' });
    now = 12_000;
    tell({ type: 'reasoning-delta', text: '\nThen I pay.' }, delta('Paid.'), modelSays('Paid.'));
    expect(screen.err + screen.out).toBe('  thought for 12 s · Ctrl-O shows it\n  Paid.\n');
    expect(renderer.foldRows(80)).toEqual(['Thinking', '  First I look.\\u{1B}[2J', '  Then I pay.']);
  });

  test('tells nothing of thinking that a restarted reply takes back, nor of what took no time', () => {
    let now = 0;
    const { screen, tell } = shown({ unfold: 'Ctrl-O', now: () => now });
    tell(userSays('x'), started, { type: 'reasoning-delta', text: 'Hm.' });
    now = 5000;
    tell({ type: 'restarted' }, { type: 'reasoning-delta', text: 'Ah.' });
    tell(delta('Yes.'), modelSays('Yes.'));
    expect(screen.err + screen.out).toBe('  Yes.\n');
  });

  test('says why the model refused, in the words of the provider and on rows of ours', () => {
    const { screen, tell } = shown({ columns: 60 });
    const refusal = { category: 'cyber', explanation: `It could ${'harm '.repeat(20)}\u001b[2J` };
    tell(userSays('x'), started, {
      type: 'message-added',
      message: { role: 'model', content: [] },
      end: 'refusal',
      refusal,
    });
    const rows = (screen.err + screen.out).trimEnd().split('\n');
    expect(rows[0]).toBe('The model declined to continue (cyber): It could harm harm ');
    expect(rows.slice(1).every((row) => row.startsWith('  ') && row.length < 60)).toBe(true);
    expect(screen.err + screen.out).not.toContain('\u001b');
  });

  test('shows a call of a tool that the provider ran by itself between the texts around it', () => {
    const { screen, tell } = shown();
    const call = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'who wins' } };
    tell(userSays('x'), started, delta('Before.'));
    tell({ type: 'provider-call', name: 'web_search', input: { query: 'who wins' } }, delta('After.'));
    tell({
      type: 'message-added',
      message: {
        role: 'model',
        content: [
          { type: 'text', text: 'Before.' },
          { type: 'data', data: call },
          { type: 'text', text: 'After.' },
        ],
      },
    });
    expect(screen.log.filter((text) => !text.startsWith('<'))).toEqual([
      '  Before.\n',
      '→ web_search run by the provider  query: who wins\n',
      '  After.\n',
    ]);
  });

  test('lets nothing raw out, whatever a model and its tools say (T1, T2, T14)', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), (text, other) => {
        const asked = confirmation('i1', 'a', other, { [text]: other });
        const { screen, renderer, tell } = shown();
        tell(userSays(text), started, delta(text), { type: 'tool-input-delta', name: other, characters: 1 });
        tell({ type: 'retrying', attempt: 1, waitMs: 1, reason: text });
        tell(modelSays(text, calls('a', other, text), calls('b', text, { [other]: text })));
        tell(starts('b', text, other), { type: 'tool-progress', ref: toolRef('b'), name: text, text: other });
        tell(fails('b', text), raises(asked), decides(asked, { action: 'reject', reason: text }));
        tell({
          type: 'run-ended',
          reason: { type: 'failed', error: { code: 'X', message: text, hint: other } },
        });
        renderer.notice(text);
        expect(rawParts(screen.log.join(''))).toEqual([]);
      }),
    );
  });
});

describe('text that streams within a frame', () => {
  /** Frames that end when the test says so. */
  function framed(): Shown & { readonly draws: (() => void)[]; endFrame(): void } {
    const draws: (() => void)[] = [];
    return {
      ...shown({
        afterFrame: (draw) => {
          draws.push(draw);
        },
      }),
      draws,
      endFrame() {
        for (const draw of draws.splice(0)) draw();
      },
    };
  }

  test('is one write, however many deltas it came in', () => {
    const { screen, tell, draws, endFrame } = framed();
    tell(userSays('x'), started);
    for (let frame = 1; frame <= 3; frame += 1) {
      for (let count = 0; count < 1000; count += 1) tell(delta('word '));
      expect(draws).toHaveLength(1);
      endFrame();
    }
    // Broken into rows, which is not what this is about.
    const log = screen.log.map((written) =>
      written.startsWith('<') ? written : written.replace(/\s/gu, ''),
    );
    const words = Array<string>(3).fill('word'.repeat(1000));
    expect(log).toEqual(['<waiting for demo>', '</>', ...words]);
  });

  test.for<[string, (shown: Shown) => void, readonly string[]]>([
    [
      'a question',
      ({ renderer }) => {
        renderer.pause();
      },
      ['\n'],
    ],
    [
      'a notice',
      ({ renderer }) => {
        renderer.notice('a tail was cut');
      },
      ['\n', 'a tail was cut\n', '<the model>'],
    ],
    [
      'the end of the turn',
      ({ renderer }) => {
        renderer.stopped(stateOf([]));
      },
      ['\n'],
    ],
    [
      'an event',
      ({ tell }) => {
        tell(userSays('x'), { type: 'run-ended', reason: { type: 'aborted' } });
      },
      ['\n', '[stopped]\n'],
    ],
    [
      'what else streams',
      ({ tell }) => {
        tell({ type: 'reasoning-delta', text: 'hm' });
      },
      ['\n', '<thinking: hm>'],
    ],
  ])('is on the screen before %s, and not again after it', ([, happen, rest]) => {
    const framedScreen = framed();
    const { screen, tell, endFrame } = framedScreen;
    tell(delta('Hello '));
    happen(framedScreen);
    endFrame();
    expect(screen.log).toEqual(['  Hello ', ...rest]);
  });

  test('opens no second frame where it was shown before its end', () => {
    const { screen, renderer, tell, draws, endFrame } = framed();
    for (let count = 0; count < 20; count += 1) {
      tell(delta('a '));
      renderer.pause();
    }
    tell(delta('b '));
    expect(draws).toHaveLength(1);
    endFrame();
    expect(screen.out).toBe(`${'  a \n'.repeat(20)}  b `);
  });

  test('is the same in the end, wherever frames end (R2)', () => {
    const piece = fc.constantFrom(
      'word ',
      '**',
      '`',
      '\n',
      '\n\n',
      '- ',
      '| a |',
      '```\n',
      '# ',
      '_x_',
      '[l](u)',
      '\r',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.boolean())), (pieces) => {
        const whole = pieces.map(([text]) => text).join('');
        const direct = shown();
        const inFrames = framed();
        for (const { tell } of [direct, inFrames]) tell(userSays('x'), started);
        for (const [text, ends] of pieces) {
          direct.tell(delta(text));
          inFrames.tell(delta(text));
          if (ends) inFrames.endFrame();
        }
        for (const { tell } of [direct, inFrames]) tell(modelSays(whole), done);
        expect([inFrames.screen.out, inFrames.screen.err]).toEqual([direct.screen.out, direct.screen.err]);
      }),
      {
        examples: [
          [
            [
              ['word ', false],
              ['\r', false],
              ['\r', false],
              ['\n\n', false],
            ],
          ],
        ],
      },
    );
  });
});
