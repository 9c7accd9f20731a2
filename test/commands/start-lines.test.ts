import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { modelWords } from '../../commands/agent/model-words.js';
import type { RunFlags } from '../../commands/flags/options.js';
import type { Io } from '../../commands/host/index.js';
import { version, workPlace } from '../../commands/host/index.js';
import { startLines } from '../../commands/seat/start-lines.js';
import { statusBar } from '../../commands/seat/status-bar.js';
import { AppendList, emptyState } from '../../src/core/index.js';
import type { Entry, RunState, SessionMode } from '../../src/core/index.js';
import { composerPicture } from '../../src/human/composer/composer-picture.js';
import { plainTheme } from '../../src/human/device/theme.js';
import { lineState } from '../../src/human/line-editor/state.js';
import { openInterrupt } from '../human/terminal-harness.js';

const FLAGS: RunFlags = { builtinTools: true, color: false, input: true, inputFormat: 'text', save: true };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hitl-place-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function ioAt(cwd: string): Io {
  return { cwd, home } as unknown as Io;
}

describe('the first line of a chat', () => {
  const name = { spec: 'demo', id: 'demo' } as Parameters<typeof startLines>[2];
  const rowsAt = (columns: number): readonly string[] =>
    startLines(
      ioAt(join(home, 'a-folder-with-a-long-name')),
      { ...FLAGS, builtinTools: false },
      { ...name, columns },
    );

  test('says the folder, then the model, in fewer words before it breaks', () => {
    const [hitl, help] = [`hitl ${version()} · demo model`, '/help'];
    expect([120, 90, 60, 40].map(rowsAt)).toEqual([
      [`${hitl} (scripted, no API key needed) · ~/a-folder-with-a-long-name · ${help}`],
      [`${hitl} (scripted, no API key needed) · a-folder-with-a-long-name · ${help}`],
      [`${hitl} · a-folder-with-a-long-name · ${help}`],
      [hitl, `a-folder-with-a-long-name · ${help}`],
    ]);
  });
});

describe('where the program works', () => {
  test('is the folder, from the home on, and the branch that is checked out', () => {
    const shop = join(home, 'shop');
    mkdirSync(join(shop, '.git'), { recursive: true });
    mkdirSync(join(shop, 'src'));
    writeFileSync(join(shop, '.git', 'HEAD'), 'ref: refs/heads/feature/cart\n');
    expect(workPlace(ioAt(join(shop, 'src')))).toBe('~/shop/src (feature/cart)');
  });

  test('is the beginning of the commit where no branch is checked out, and follows a work tree', () => {
    const shop = join(home, 'shop');
    mkdirSync(join(home, 'elsewhere'));
    mkdirSync(shop);
    writeFileSync(join(shop, '.git'), `gitdir: ${join(home, 'elsewhere')}\n`);
    writeFileSync(join(home, 'elsewhere', 'HEAD'), '1b2db87aa0f0c3d4e5f60718293a4b5c6d7e8f90\n');
    expect(workPlace(ioAt(shop))).toBe('~/shop (1b2db87)');
  });

  test.for([
    ['a folder without git', undefined],
    ['a HEAD that says nothing', 'nonsense\n'],
    ['a HEAD that is empty', ''],
  ] as const)('is the folder alone in %s', ([, head]) => {
    if (head !== undefined) {
      mkdirSync(join(home, '.git'));
      writeFileSync(join(home, '.git', 'HEAD'), head);
    }
    expect(workPlace(ioAt(home))).toBe('~');
  });
});

describe('a model in a line', () => {
  test.for([
    [{ spec: 'demo' }, 'demo model'],
    [{ spec: 'anthropic:claude-sonnet-4-5' }, 'claude-sonnet-4-5'],
    [{ spec: 'anthropic:llama3:8b', server: 'http://127.0.0.1:11434/v1' }, 'llama3:8b at 127.0.0.1:11434'],
    [{ spec: 'script:/tmp/model.jsonl' }, 'script model.jsonl'],
    [{ spec: 'fast' }, 'fast'],
  ] as const)('%j is %s', ([name, words]) => {
    expect(modelWords(name)).toBe(words);
  });
});

describe('the first lines of a chat', () => {
  test('say which program, model and folder it is, and with the demo what to type', () => {
    expect(startLines(ioAt(home), FLAGS, { spec: 'demo' })).toEqual([
      `hitl ${version()} · demo model (scripted, no API key needed) · ~ · /help`,
      'Try  Transfer 200 to ABC123  ·  Plan a barbecue  ·  Run echo hello',
    ]);
  });

  test('do not say what to type where the tools for it are not offered', () => {
    expect(startLines(ioAt(home), { ...FLAGS, builtinTools: false }, { spec: 'demo' })).toHaveLength(1);
  });

  test('name the folder alone where all of it does not match its schema, and break between the parts', () => {
    const shop = join(home, 'a-long-name-of-a-folder', 'shop');
    mkdirSync(join(shop, '.git'), { recursive: true });
    writeFileSync(join(shop, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    const name = { spec: 'anthropic:claude-sonnet-4-5' };
    const at = (columns: number) => startLines(ioAt(shop), FLAGS, { ...name, columns });
    const [program, model] = [`hitl ${version()}`, 'claude-sonnet-4-5'];
    expect(at(80)).toEqual([`${program} · ${model} · ~/a-long-name-of-a-folder/shop (main) · /help`]);
    expect(at(60)).toEqual([`${program} · ${model} · shop (main) · /help`]);
    expect(at(40)).toEqual([`${program} · ${model}`, 'shop (main) · /help']);
  });
});

describe('the row under the prompt', () => {
  const said = (inputTokens: number, outputTokens: number): Entry => ({
    message: { role: 'model', content: [] },
    usage: { inputTokens, outputTokens },
  });
  type Bar = ReturnType<typeof statusBar>;
  const textOf = (bar: Bar, queued = 0) => bar?.parts({ queued }).map(({ text }) => text);

  test('says mode, model and folder before there is a session', () => {
    expect(textOf(statusBar(ioAt(home), FLAGS, { spec: 'demo' }, 'ask'))).toEqual(['ask', 'demo model', '~']);
  });

  const full = (toReview = 0): Bar => {
    const bar = statusBar(ioAt(home), FLAGS, { spec: 'demo' }, 'ask');
    const state: RunState = {
      ...emptyState(),
      agent: { model: 'anthropic:claude-sonnet-4-5', server: 'http://127.0.0.1:11434/v1', tools: [] },
      entries: AppendList.of([
        said(1000, 10),
        said(60_000, 8000),
        { message: { role: 'user', content: [] } },
      ]),
      usage: { inputTokens: 61_000, outputTokens: 8010, costUsd: 1.234 },
      asks: openInterrupt(),
    };
    bar?.follow({
      state: () => state,
      contextTokens: () => 200_000,
      mode: () => 'accept-edits',
      toReview: () => toReview,
    });
    return bar;
  };

  test('says how full the context is, what it cost, what waits and what is queued', () => {
    expect(textOf(full(), 1)).toEqual([
      'accept-edits',
      'claude-sonnet-4-5 at 127.0.0.1:11434',
      '~',
      'context 34 %',
      '$1.23',
      '1 waits',
      'queued 1',
    ]);
  });

  test.for([
    [100, 'accept-edits · claude-sonnet-4-5 at 127.0.0.1:11434 · ~ · context 34 % · $1.23 · 1 waits'],
    [80, 'accept-edits · claude-sonnet-4-5 · ~ · context 34 % · $1.23 · 1 waits'],
    [69, 'accept-edits · claude-sonnet-4-5 · context 34 % · $1.23 · 1 waits'],
    [60, 'accept-edits · claude-sonnet-4-5 · context 34 % · 1 waits'],
    [45, 'accept-edits · claude-sonnet-4-5 · 1 waits'],
    [40, 'accept-edits · claude-sonnet-4-5'],
    [24, 'accept-edits'],
    [9, 'accept-…'],
  ] as const)('keeps the mode longest, and at %i columns is: %s', ([columns, row]) => {
    const status = full()?.parts({ queued: 0 }) ?? [];
    const look = {
      line: lineState(),
      prompt: '> ',
      above: [],
      queue: [],
      hints: [],
      palette: undefined,
      status,
    };
    const { rows } = composerPicture(look, { columns, rows: 12 }, plainTheme);
    expect(rows.at(-1)?.text).toBe(row);
  });

  test.for([
    [
      120,
      'accept-edits · claude-sonnet-4-5 at 127.0.0.1:11434 · ~ · context 34 % · $1.23 · 1,234 to review · 1 waits',
    ],
    [80, 'accept-edits · claude-sonnet-4-5 · context 34 % · 1,234 to review · 1 waits'],
    [40, 'accept-edits · 1,234 to review'],
  ] as const)('counts what is to review, and at %i columns is: %s', ([columns, row]) => {
    const look = { line: lineState(), prompt: '> ', above: [], queue: [], hints: [], palette: undefined };
    const status = full(1234)?.parts({ queued: 0 }) ?? [];
    const { rows } = composerPicture({ ...look, status }, { columns, rows: 12 }, plainTheme);
    expect(rows.at(-1)?.text).toBe(row);
  });

  test('says the mode as it changes', () => {
    const bar = statusBar(ioAt(home), FLAGS, { spec: 'demo' }, 'read-only');
    expect(textOf(bar)).toEqual(['read-only', 'demo model', '~']);
    let mode: SessionMode = 'accept-edits';
    bar?.follow({ state: emptyState, contextTokens: () => undefined, mode: () => mode });
    expect(textOf(bar)).toEqual(['accept-edits', 'demo model', '~']);
    mode = 'ask';
    expect(textOf(bar)).toEqual(['ask', 'demo model', '~']);
  });

  test('counts tokens where nobody knows how many fit', () => {
    const bar = statusBar(ioAt(home), FLAGS, { spec: 'demo' }, 'ask');
    const state = { ...emptyState(), entries: AppendList.of([said(1200, 34)]) };
    bar?.follow({ state: () => state, contextTokens: () => undefined, mode: () => 'ask' });
    expect(textOf(bar)).toEqual(['ask', 'demo model', '~', 'context 1,234 tokens']);
  });

  test('is left out where the configuration says so', () => {
    expect(statusBar(ioAt(home), { ...FLAGS, statusLine: false }, { spec: 'demo' }, 'ask')).toBeUndefined();
  });
});
