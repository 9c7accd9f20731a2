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
});

describe('the row under the prompt', () => {
  const said = (inputTokens: number, outputTokens: number): Entry => ({
    message: { role: 'model', content: [] },
    usage: { inputTokens, outputTokens },
  });

  test('says model and folder before there is a session', () => {
    expect(statusBar(ioAt(home), FLAGS, { spec: 'demo' }, 'ask')?.parts({ queued: 0 })).toEqual([
      'demo model',
      '~',
    ]);
  });

  test('says how full the context is, what it cost, what waits and what is queued, the least last', () => {
    const bar = statusBar(ioAt(home), FLAGS, { spec: 'demo' }, 'ask');
    const state: RunState = {
      ...emptyState(),
      agent: { model: 'anthropic:claude-sonnet-4-5', tools: [] },
      entries: AppendList.of([
        said(1000, 10),
        said(60_000, 8000),
        { message: { role: 'user', content: [] } },
      ]),
      usage: { inputTokens: 61_000, outputTokens: 8010, costUsd: 1.234 },
      asks: openInterrupt(),
    };
    bar?.follow({ state: () => state, contextTokens: () => 200_000, mode: () => 'ask' });
    expect(bar?.parts({ queued: 1 })).toEqual([
      'claude-sonnet-4-5',
      '~',
      'context 34 %',
      '$1.23',
      '1 waits',
      'queued 1',
    ]);
  });

  test('says the mode where it is not the usual one, before there is a session and as it changes', () => {
    const bar = statusBar(ioAt(home), FLAGS, { spec: 'demo' }, 'read-only');
    expect(bar?.parts({ queued: 0 })).toEqual(['demo model', '~', 'read-only']);
    let mode: SessionMode = 'accept-edits';
    bar?.follow({ state: emptyState, contextTokens: () => undefined, mode: () => mode });
    expect(bar?.parts({ queued: 0 })).toEqual(['demo model', '~', 'accept-edits']);
    mode = 'ask';
    expect(bar?.parts({ queued: 0 })).toEqual(['demo model', '~']);
  });

  test('counts tokens where nobody knows how many fit', () => {
    const bar = statusBar(ioAt(home), FLAGS, { spec: 'demo' }, 'ask');
    const state = { ...emptyState(), entries: AppendList.of([said(1200, 34)]) };
    bar?.follow({ state: () => state, contextTokens: () => undefined, mode: () => 'ask' });
    expect(bar?.parts({ queued: 0 })).toEqual(['demo model', '~', 'context 1,234 tokens']);
  });

  test('is left out where the configuration says so', () => {
    expect(statusBar(ioAt(home), { ...FLAGS, statusLine: false }, { spec: 'demo' }, 'ask')).toBeUndefined();
  });
});
