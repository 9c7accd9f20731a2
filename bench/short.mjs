// Checks the shapes of growth by counting what is done, never by a clock: a loaded machine changes none of it.
import { tmpdir } from 'node:os';

import { counts } from './harness/counts.mjs';
import { hookEvent, RULES } from './harness/hook-event.mjs';

const early = 200;
const late = 1000;

let failed = 0;

/** @param most how many times as much the later count may be */
function check(what, earlier, later, most = 1.1) {
  const ratio = later / earlier;
  const ok = earlier > 0 && later > 0 && ratio <= most; // what counted nothing is a failure
  if (!ok) failed += 1;
  console.log(
    `${ok ? 'ok' : 'FAILED'}: ${what}: ${round(earlier)} at ${early}, ${round(later)} at ${late}, at most ${most} times`,
  );
}

/** @param most of what does not grow with the session: it was once twice as much */
function checkMost(what, counted, most) {
  const ok = counted > 0 && counted <= most;
  if (!ok) failed += 1;
  console.log(`${ok ? 'ok' : 'FAILED'}: ${what}: ${round(counted)}, at most ${most}`);
}

/** @param most thousands of bytes of code: what is loaded has to be read and compiled before there is anything to see */
function checkLoad(what, loaded, forbidden, most) {
  const wrong = loaded.map(({ url }) => url).filter((url) => forbidden.some((part) => url.includes(part)));
  const size = loaded.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
  const ok = loaded.length > 0 && wrong.length === 0 && size <= most;
  if (!ok) failed += 1;
  console.log(
    `${ok ? 'ok' : 'FAILED'}: ${what} loads ${loaded.length} files, ${round(size)} kB, at most ${most}${wrong.length > 0 ? `, among them ${wrong.join(', ')}` : ''}`,
  );
}

/** @param most how often it may wait: flushes that are made side by side are one wait */
function checkFlushes(what, { flushes, waits }, most) {
  const ok = flushes > 0 && waits <= most; // what counted nothing is a failure
  if (!ok) failed += 1;
  console.log(
    `${ok ? 'ok' : 'FAILED'}: ${what} waits ${waits} times for ${flushes} flushes, at most ${most}`,
  );
}

function round(value) {
  return Math.round(value * 100) / 100;
}

const [before, after] = [await counts.cycles(early), await counts.cycles(late)];
check('bytes of journal a cycle', before.bytes, after.bytes, 1.05);
check('syncs a cycle', before.syncs, after.syncs);
check('file operations a cycle', before.operations, after.operations);
check('bytes allocated a cycle', before.allocated, after.allocated, 1.5);
const [turn, laterTurn] = [await counts.turns(early), await counts.turns(late)];
check('bytes allocated a turn', turn, laterTurn, 1.5);
checkMost('bytes allocated a turn', turn, 60_000);
const [few, many] = [counts.fold(early), counts.fold(late)];
check('bytes allocated to fold an event', few, many, 1.5);
const [list, longList] = [await counts.list(early / 10), await counts.list(late / 10)];
check('file operations to list a session', list, longList);
const [open, longOpen] = [await counts.open(early), await counts.open(late)];
check('bytes read of a journal to open it, over its size', open, longOpen);
const LATER = ['/packages/zod', '/packages/@anthropic-ai', '/packages/marked', '/node_modules/'];
checkLoad('`hitl --version`', counts.load(['--version']), LATER, 230);
checkLoad('`hitl --help`', counts.load(['--help']), LATER, 270);
const [listed, asked] = [['list'], ['chat', '--model', 'demo', '--print', 'Transfer 200 to ABC123']];
// A session that waits is looked at, to tell a timer from a question: that its summary does not say.
checkLoad('`hitl list`', counts.load(listed, [asked, listed]), LATER, 400);
checkLoad('`hitl inbox`', counts.load(['inbox'], [asked]), LATER, 625); // it says what is to be reviewed
checkLoad('`hitl answer`', counts.load(['answer', '0', 'n'], [asked]), LATER, 770);
const inJson = ['answer', '0', '{"action":"reject"}'];
checkLoad('`hitl answer` in JSON', counts.load(inJson, [asked]), LATER, 780);
checkLoad('`hitl chat -p`', counts.load(asked, [], 3), ['/packages/@anthropic-ai', '/node_modules/'], 1670);
const hook = ['hook', 'claude-code'];
const input = hookEvent(tmpdir());
checkLoad('a hook without rules', counts.load(hook, [], 0, { input }), LATER, 420);
const PACKAGES = [
  '/packages/@anthropic-ai',
  '/packages/marked',
  '/node_modules/',
  '/sessions/',
  '/src/engine/',
];
checkLoad('a hook that a rule decides', counts.load(hook, [], 0, { input, config: RULES }), PACKAGES, 880);
const [, chatted, answered, resumed] = counts.flushes([
  { words: asked, status: 3 }, // the first one makes folders and a key
  { words: asked, status: 3 },
  { words: ['answer', 'ID', 'y', '--any'] },
  { words: ['resume', 'ID'] },
]);
checkFlushes('`hitl chat -p` up to a question', chatted, 5);
checkFlushes('`hitl answer`', answered, 2);
checkFlushes('`hitl resume` of an approved call', resumed, 4);
console.log(failed === 0 ? 'bench: all shapes hold' : `bench: ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
