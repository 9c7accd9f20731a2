// Counts the keys of ten pieces of work in the built program, and writes the table of docs/terminal.md; --check compares,
// --peer counts those of Claude Code anew, where bench/agents is installed.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { format } from 'prettier';

import { WORKS } from './key-works.js';
import type { Work } from './key-works.js';
import { PEER_WORKS } from './peer-works.js';
import type { PeerMake } from './peer-works.js';
import { PEER, peerCommand, PeerStage } from './peer.js';
import { Screen } from './screen.js';
import { Stage } from './stage.js';

const PAGE = fileURLToPath(new URL('../../docs/terminal.md', import.meta.url));
const SIZE = { columns: 80, rows: 24 };

async function keysOf({ replies, play }: Work): Promise<number> {
  using stage = new Stage();
  const model = stage.model(...replies);
  using screen = new Screen(stage, ['chat', 'go', '--model', model, '--sandbox', 'off'], SIZE);
  await play(screen);
  return screen.keys;
}

async function peerKeysOf(make: PeerMake, command: readonly string[]): Promise<number> {
  using stage = new PeerStage();
  const { replies, play } = make(stage.work);
  await stage.serve(replies);
  using screen = new Screen(stage, [], SIZE, command);
  await play(screen);
  return screen.keys;
}

/** Says of each piece of work whose keys are others than those that were counted last. */
async function countPeer(command: readonly string[]): Promise<number> {
  let others = 0;
  for (const [at, work] of PEER_WORKS.entries()) {
    if (work.keys === undefined) continue;
    const keys = await peerKeysOf(work.make, command);
    process.stderr.write(`${PEER}: ${WORKS[at]?.what ?? ''} ${keys}\n`);
    if (keys === work.keys) continue;
    others += 1;
    process.stderr.write(`counted ${work.keys} before\n`);
  }
  return others;
}

async function countOurs(isCheck: boolean): Promise<boolean> {
  const rows: string[] = [];
  let more = 0;
  for (const [at, work] of WORKS.entries()) {
    const keys = await keysOf(work);
    const peer = PEER_WORKS[at];
    rows.push(`| ${work.what} | ${keys} | ${peer?.keys ?? `cannot: ${peer?.why ?? ''}`} |`);
    process.stderr.write(`${rows.at(-1) ?? ''}\n`);
    if (peer?.keys === undefined || keys <= peer.keys) continue;
    more += 1;
    process.stderr.write(`more keys than elsewhere: ${work.what}\n`);
  }
  const table = [`| work at 80x24 | keys | ${PEER} |`, '| --- | --- | --- |', ...rows].join('\n');
  const before = readFileSync(PAGE, 'utf8');
  const START = '<!-- keys: written by npm run keys -->';
  const from = before.indexOf(START) + START.length;
  const to = before.indexOf('<!-- end of keys -->');
  const after = await format(`${before.slice(0, from)}\n\n${table}\n\n${before.slice(to)}`, {
    parser: 'markdown',
    printWidth: 110,
  });
  if (!isCheck) writeFileSync(PAGE, after);
  process.stdout.write(
    `${rows.length} counted, ${more} too many, ${after === before ? 'current' : 'changed'}\n`,
  );
  return more === 0 && (!isCheck || after === before);
}

if (process.argv.includes('--peer')) {
  if (peerCommand === undefined) throw new Error(`${PEER} is not installed: npm ci in bench/agents`);
  const others = await countPeer(peerCommand);
  process.stdout.write(`${PEER}: ${others === 0 ? 'as counted before' : `${others} others than before`}\n`);
  process.exitCode = others === 0 ? 0 : 1;
} else process.exitCode = (await countOurs(process.argv.includes('--check'))) ? 0 : 1;
