// How many columns real terminals draw texts in: the place of their cursor behind each.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import xterm from '@xterm/headless';

import { seededRandom } from '../helpers/random.js';

const WIDE_ENOUGH = { cols: 300, rows: 5 };
const PROBE = path.resolve(import.meta.dirname, 'cursor-probe.mjs');

/** False where this machine has no tmux. */
export function hasTmux(): boolean {
  return spawnSync('tmux', ['-V']).status === 0;
}

/** The columns of each text in tmux; no text has a control. */
export function columnsInTmux(texts: readonly string[]): readonly number[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'hitl-width-'));
  const input = path.join(folder, 'texts.json');
  const output = path.join(folder, 'columns.json');
  writeFileSync(input, JSON.stringify(texts));
  const socket = path.join(folder, 'socket');
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', socket, ...args], {
      env: { ...process.env, LC_ALL: 'C.UTF-8', TMUX: '' },
    });
  const { cols, rows } = WIDE_ENOUGH;
  try {
    const probe = `'${process.execPath}' '${PROBE}' '${input}' '${output}'; tmux -S '${socket}' wait-for -S drawn`;
    tmux('new-session', '-d', '-x', String(cols), '-y', String(rows), `${probe}; sleep 5`);
    tmux('wait-for', 'drawn');
    return JSON.parse(readFileSync(output, 'utf8')) as readonly number[];
  } finally {
    spawnSync('tmux', ['-S', socket, 'kill-server']);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The columns of each text in xterm.js, with the widths that it begins with. */
export async function columnsInXterm(texts: readonly string[]): Promise<readonly number[]> {
  const screen = new xterm.Terminal({ ...WIDE_ENOUGH, allowProposedApi: true });
  const columns: number[] = [];
  screen.onData((reply) => columns.push(Number(/;(\d+)R/.exec(reply)?.[1]) - 1));
  for (let from = 0; from < texts.length; from += 1000) {
    const some = texts.slice(from, from + 1000).map((text) => `\r\u001b[2K${text}\u001b[6n`);
    await new Promise<void>((resolve) => {
      screen.write(some.join(''), resolve);
    });
  }
  screen.dispose();
  return columns;
}

const UNASSIGNED = /[\p{Cn}\p{Cs}\p{Co}]/u;

/** Every assigned character of Unicode but surrogates and those for private use. */
export function assignedCharacters(): readonly string[] {
  const found: string[] = [];
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point);
    if (!UNASSIGNED.test(character)) found.push(character);
  }
  return found;
}

/** What makes terminals join, widen or forget characters, beside letters of many scripts. */
const POOLS: readonly string[] = [
  'abcxyzéß 019',
  'ءبتثجحخדהוזחטअआइईकखगघङகஙசஞกขคงจກຂຄງကခဂ',
  'ाििीुूेैोौ्ंः़ािீுூெேைொோௌ்',
  '\u0301\u0308\u0336\u0483\u0487\u0616\u064E\u0651\u05B0\u05BC\u0E31\u0E34\u0E48\u0EB1\u0EB4\u0EC8\u103A\u103B\u103D\u20DD\u20E3\u302E\u302F\u3099\uFE20',
  '\u0E33\u0EB3\uFF9E\uFF9F\uFF76\uFF77\uFF8A\uFF70',
  '\u1100\u1112\u115E\uA960\u1161\u1175\u11A2\uD7B0\uD7C6\u11A8\u11FF\uD7CB\uD7FB\u115F\u1160\u3164\uFFA0가각힣',
  '中日本語。（㐀𠀀',
  '👍👩👨🔥😀☝✌⛹🕵🎅🏻🏽🏿🇩🇪🇺🇦❤☺☂1️⃣',
  '\u200B\u200C\u200D\u200E\uFE0E\uFE0F\u{E0061}\u{E007F}\u00AD\u034F\u061C\u2060\u0600\u06DD\u070F\u0D4E',
];

/** Clusters of a few characters in which all of that meets. */
export function randomClusters(count: number, seed: number): readonly string[] {
  const random = seededRandom(seed);
  const pools = POOLS.map((pool) => Array.from(pool));
  const pick = <T>(from: readonly T[]): T | undefined => from[random(from.length)];
  return Array.from({ length: count }, () => {
    const two = [pick(pools) ?? [], pick(pools) ?? []];
    return Array.from({ length: 1 + random(8) }, () => pick(pick(two) ?? []) ?? '').join('');
  });
}
