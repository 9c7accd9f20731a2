// What stands on a terminal after a yes, and while something runs, as a person sees it.
// `npx vitest run test/screen/golden/after -u` writes the screens anew: look at the difference before it is committed.
import { describe, expect, test } from 'vitest';

import type { Io } from '../../../commands/host/index.js';
import { statusBar } from '../../../commands/seat/status-bar.js';
import type {
  Interrupt,
  JsonValue,
  SessionEvent,
  SessionMode,
  TransientEvent,
} from '../../../src/core/index.js';
import { interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../../src/core/index.js';
import { createTheme, TerminalRenderer } from '../../../src/render/index.js';
import {
  calls,
  decides,
  fails,
  modelSays,
  outputs,
  raises,
  starts,
  stateOf,
  userSays,
} from '../../render/story.js';
import { PlayedSession } from '../played-session.js';
import { Album } from './album.js';
import type { Size } from './shoot.js';
import { styledScreen, tooWide } from './shoot.js';

const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 60, rows: 20 },
  { columns: 40, rows: 12 },
];
const nameOf = ({ columns, rows }: Size): string => `${columns}x${rows}`;

const EDIT = { path: 'src/cart.js', oldText: 'a', newText: 'b' };
const SHORT = `--- a/src/cart.js
+++ b/src/cart.js
@@ -8,7 +8,6 @@
   const net = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
   const paid = net;
   // after tax
-  const gross = net * (1 + taxRate);
-  return round(gross - discount);
+  return round((net - discount) * (1 + taxRate)); // the discount is taken off before the tax, not after it
 }
`;
const row = (sign: string, from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `${sign}const line${from + at} = ${from + at};\n`).join('');
const LONG = `--- a/src/cart.js
+++ b/src/cart.js
@@ -1,3 +1,7 @@
 first
${row('+', 1, 4)} last
@@ -40,3 +44,40 @@
 first
${row('+', 44, 37)} last
`;
const WHOLE = `--- /dev/null
+++ b/src/cart.js
@@ -0,0 +1,30 @@
${row('+', 1, 30)}`;

const TESTS = Array.from({ length: 30 }, (_, at) => `test number ${at + 1} passes`);
const LOG = [...TESTS, '', '# tests 30', `# pass 30\t${'x'.repeat(100)}`, '\u001b[2Jhostile'].join('\n');

function asked(ref: string, name: string, input: JsonValue, payload: JsonValue = true): Interrupt {
  return makeInterrupt(
    {
      kind: 'confirmation',
      source: { type: 'tool', ref: toolRef(ref), name, input, raisedBy: 'approval' },
      payload,
    },
    { id: interruptId(`i${ref}`), path: ROOT_PATH, raisedAt: '1970-01-01T00:00:00.000Z' },
  );
}

const MODE = { type: 'rule', rule: 'mode accept-edits', from: 'this session', says: 'allows it' } as const;
const AUTO = { ...MODE, rule: 'mode auto' } as const;
const delta = (text: string): TransientEvent => ({ type: 'text-delta', text });
const printed = (ref: string, text: string): TransientEvent => ({
  type: 'tool-progress',
  ref: toolRef(ref),
  name: 'run_command',
  text,
});
const command = (text: string) => ({ command: text });
const ran = (ref: string, exitCode: number, output: string): SessionEvent =>
  outputs(ref, { exitCode, signal: null, output });
const read = (ref: string, path: string, lines: number): readonly SessionEvent[] => [
  starts(ref, 'read_file', { path }),
  outputs(ref, { path, content: 'x\n'.repeat(lines), fromLine: 1, toLine: lines, totalLines: lines }),
];

/** The row under the prompt of a session. */
function barOf(
  session: PlayedSession,
  mode: SessionMode,
  toReview: number,
  waits = true,
): ReturnType<typeof statusBar> {
  const io = { cwd: '/home/ann/shop', home: '/home/ann' } as unknown as Io;
  const flags = { builtinTools: true, color: false, input: true, inputFormat: 'text', save: true } as const;
  const bar = statusBar(io, flags, { spec: 'claude-sonnet-4-5' }, mode);
  bar?.follow({
    ...{ state: () => session.state, contextTokens: () => 200_000, mode: () => mode },
    ...{ toReview: () => toReview, waits: () => waits },
  });
  return bar;
}

type Scene = (session: PlayedSession) => Promise<void>;

const SCENES: Readonly<Record<string, Scene>> = {
  async 'two commands, of which the first is approved and the second is rejected'(session) {
    const [tag, push] = [command('git tag v1.5'), command('git push --dry-run origin v1.5')];
    session.tell(userSays('x'), modelSays(calls('a', 'run_command', tag), calls('b', 'run_command', push)));
    await session.decide(asked('a', 'run_command', tag), 'y');
    await session.decide(asked('b', 'run_command', push), 'n', 'n', 'o', '\r');
    session.tell(starts('a', 'run_command', tag));
    await session.terminal.clock.advance(300);
    session.tell(ran('a', 128, "fatal: tag 'v1.5' already exists\n"), modelSays('It was there already.'));
  },
  async 'an edit, one that is taken unasked, and one that fails'(session) {
    session.tell(userSays('x'), modelSays(...['a', 'b', 'c'].map((ref) => calls(ref, 'edit_file', EDIT))));
    await session.decide(asked('a', 'edit_file', EDIT, { diff: SHORT }), ' ', ' ', 'y');
    session.tell(starts('a', 'edit_file', EDIT), outputs('a', { line: 11 }));
    for (const [ref, diff] of [
      ['b', LONG],
      ['c', WHOLE],
    ] as const) {
      const interrupt = asked(ref, 'edit_file', EDIT, { diff });
      session.tell({ type: 'interrupt-raised', interrupt }, decides(interrupt, { action: 'restart' }, MODE));
      session.tell(starts(ref, 'edit_file', EDIT));
    }
    session.tell(outputs('b', { line: 1 }), fails('c', 'disk full'));
    session.tell(modelSays('Done.'));
  },
  async 'an edit that is taken unasked, and the tests after it'(session) {
    const bar = barOf(session, 'accept-edits', 1);
    session.tell(userSays('x'), modelSays('I take the discount off first.', calls('a', 'edit_file', EDIT)));
    const edit = asked('a', 'edit_file', EDIT, { diff: SHORT });
    session.tell(raises(edit), decides(edit, { action: 'restart' }, MODE));
    session.tell(starts('a', 'edit_file', EDIT), outputs('a', { line: 11 }));
    session.tell(modelSays('Now the tests.', calls('b', 'run_command', command('npm test'))));
    await session.decide(asked('b', 'run_command', command('npm test')), 'y');
    session.tell(starts('b', 'run_command', command('npm test')));
    await session.terminal.clock.advance(15_000);
    session.tell(ran('b', 0, TESTS.join('\n')), modelSays('All tests pass.'));
    session.tell({ type: 'run-ended', reason: { type: 'done' } });
    session.status = bar?.parts({ queued: 0 }) ?? [];
    session.end();
  },
  async 'a command in a copy, of which one file is held back'(session) {
    const input = { command: 'npm run format', writes: true };
    const gave = {
      ...{ exitCode: 0, signal: null, output: 'formatted 3 files\n' },
      changed: [
        { path: 'src/cart.js', change: 'changed', added: 2, removed: 3 },
        { path: 'src/tax.js', change: 'made', added: 12, removed: 0 },
      ],
      heldBack: [{ path: '.github/workflows/ci.yml', why: 'runs later' }],
      notes: [
        '1 change not kept. If the work needs it, call it again with `ask: true`, and the user is asked',
      ],
    };
    const one = asked('a', 'run_command', input, {
      facts: { sandbox: 'can write in a copy of this folder, no network' },
    });
    session.tell(
      userSays('x'),
      modelSays('I format it.', calls('a', 'run_command', input)),
      raises(one),
      decides(one, { action: 'restart' }, AUTO),
      starts('a', 'run_command', input),
      outputs('a', gave),
      modelSays('It is formatted, but for one file.'),
      { type: 'run-ended', reason: { type: 'done' } },
    );
    session.status = barOf(session, 'auto', 1)?.parts({ queued: 0 }) ?? [];
    session.end();
  },
  async 'a reviewer that looks at a call'(session) {
    const input = { toAccount: 'ABC123', amount: 200 };
    const one = asked('a', 'transfer_money', input, { reason: 'transfers above 100' });
    session.tell(userSays('x'), modelSays('I pay it.', calls('a', 'transfer_money', input)), raises(one));
    session.status = barOf(session, 'auto', 3, false)?.parts({ queued: 0 }) ?? [];
    session.tell({ type: 'reviewing', name: '/home/ann/.config/hitl/policy --strict --json' });
    await session.terminal.clock.advance(4000);
    session.tell(printed('another', '')); // draws the row anew
  },
  async 'two calls that ask while they run'(session) {
    const transfers = [200, 300].map((amount, at) => ({
      ref: `t${at}`,
      input: { toAccount: 'ABC123', amount },
      title: `Transfer ${amount} to ABC123`,
    }));
    session.tell(
      userSays('x'),
      modelSays(...transfers.map(({ ref, input }) => calls(ref, 'transfer_money', input))),
    );
    for (const { ref, input, title } of transfers)
      session.tell({ ...starts(ref, 'transfer_money', input), title } as SessionEvent);
    const open = transfers.map(({ ref, input, title }) => {
      const one = asked(ref, 'transfer_money', input, { reason: 'transfers above 100' });
      return { ...one, source: { ...one.source, raisedBy: 'tool', title } } as Interrupt;
    });
    session.tell(...open.map(raises));
    const [first, second] = open;
    if (first === undefined || second === undefined) return;
    await session.answer(first, 'y');
    await session.answer(second, 'n', 'n', 'o', 't', ' ', 'n', 'o', 'w', '\r');
    session.tell(
      { ...starts('t0', 'transfer_money', { toAccount: 'ABC123', amount: 200 }, 2) },
      outputs('t0', { transferred: 200 }),
      modelSays('One of two is done.'),
    );
  },
  async 'a call of a server'(session) {
    const input = { message: 'hello from MCP' };
    const title = 'everything: Echo Tool (message: "hello from MCP")';
    session.tell(userSays('x'), modelSays(calls('a', 'everything__echo', input)));
    session.tell({ ...starts('a', 'everything__echo', input), title } as SessionEvent);
    session.tell(outputs('a', 'Echo: hello from MCP'), modelSays('It says hello.'));
  },
  async 'a command while it runs'(session) {
    await runs(session, 'npm test -- --reporter=dot --coverage --watch=false src/cart.test.js');
    for (const text of [...TESTS, '\u001b[2Jhostile\tx']) session.tell(printed('a', text));
    await session.terminal.clock.advance(12_000);
    session.tell(printed('a', 'the last line'));
  },
  async 'a command that has run, and one that was stopped'(session) {
    await runs(session, 'npm test');
    await session.terminal.clock.advance(15_000);
    session.tell(ran('a', 0, LOG));
    session.tell(modelSays(calls('b', 'run_command', command('sh slow.sh'))));
    const slow = asked('b', 'run_command', command('sh slow.sh'));
    await session.decide(slow, 'y');
    session.tell(starts('b', 'run_command', command('sh slow.sh')));
    await session.terminal.clock.advance(6000);
    session.tell(
      outputs('b', {
        ...{ exitCode: null, signal: 'SIGTERM', output: TESTS.slice(0, 12).join('\n') },
        notes: ['stopped by the user after 6 s'],
      }),
      { type: 'run-ended', reason: { type: 'aborted' } },
    );
    session.end();
  },
  async 'commands that only read, one of which needed more'(session) {
    const sed = { command: 'sed -i s/a/b/ notes.txt' };
    const gave = (exitCode: number, output: string, notes?: readonly string[]) => ({
      ...{ exitCode, signal: null, output },
      ...(notes && { notes: [...notes] }),
    });
    session.tell(
      userSays('x'),
      modelSays(calls('a', 'run_command', command('git status --short'))),
      starts('a', 'run_command', command('git status --short')),
      outputs('a', gave(0, '?? notes.txt\n')),
      modelSays(calls('b', 'run_command', sed)),
      starts('b', 'run_command', sed),
      outputs(
        'b',
        gave(4, "sed: couldn't open temporary file ./sedIbuII7: Read-only file system\n", [
          'ran read-only: if that is why it failed, call it again with `writes: true` to ask the user',
        ]),
      ),
      modelSays('It needs to write.'),
    );
  },
  async 'the folds, with what is searched for'(session) {
    await runs(session, 'npm test');
    session.tell(ran('a', 0, LOG));
    const interrupt = asked('b', 'edit_file', EDIT, { diff: LONG });
    session.tell(modelSays(calls('b', 'edit_file', EDIT)), { type: 'interrupt-raised', interrupt });
    session.tell(decides(interrupt, { action: 'restart' }, MODE));
    await session.terminal.send('\u000f');
    await session.terminal.send('/');
    await session.terminal.type('# TESTS'.toLowerCase());
    await session.terminal.send('\r');
  },
  async 'a stream in the middle of a line'(session) {
    session.tell(userSays('x'), { type: 'model-started', attempt: 1 });
    await session.terminal.clock.advance(1500);
    session.tell(
      delta(
        `I looked at the cart and at its tests. ${'The discount is taken off after the tax. '.repeat(8)}`,
      ),
    );
    await session.terminal.clock.advance(10_500);
    session.tell(delta('And so'));
  },
  async 'files that were read one after the other'(session) {
    const wanted = (...refs: readonly string[]): SessionEvent =>
      modelSays(...refs.map((ref) => calls(ref, 'read_file', { path: ref })));
    session.tell(userSays('x'), modelSays('I look.', calls('a', 'read_file', { path: 'src/cart.js' })));
    session.tell(...read('a', 'src/cart.js', 17), modelSays('And more.', calls('0', 'read_file', {})));
    session.tell(...read('0', 'src/file-0.js', 1), wanted('b', 'c', 'd', 'e', 'f', 'h'));
    for (const [at, ref] of ['b', 'c', 'd', 'e', 'f'].entries())
      session.tell(...read(ref, `src/file-${at + 1}.js`, at));
    session.tell(starts('h', 'read_file', { path: 'src/none.js' }), fails('h', 'no such file: src/none.js'));
    session.tell(wanted('i'));
    session.tell(...read('i', 'src/big.js', 300), { type: 'model-started', attempt: 1 });
  },
};

async function runs(session: PlayedSession, text: string): Promise<void> {
  session.tell(userSays('x'), modelSays(calls('a', 'run_command', command(text))));
  await session.decide(asked('a', 'run_command', command(text)), 'y');
  session.tell(starts('a', 'run_command', command(text)));
}

async function shot(scene: Scene, size: Size, colour: boolean): Promise<{ text: string; written: string }> {
  using session = new PlayedSession(size, colour);
  await scene(session);
  return { text: await session.screen(), written: session.terminal.written() };
}

/** The same events for a terminal on which nothing can be drawn. */
async function inLines(scene: Scene, columns: number): Promise<string> {
  using session = new PlayedSession({ columns, rows: 24 });
  let text = '';
  const stream = { columns, write: (more: string) => void (text += more) };
  const theme = createTheme({ colour: false, ascii: true });
  const renderer = new TerminalRenderer({
    stdout: stream,
    stderr: stream,
    theme,
    now: () => session.terminal.clock.now(),
  });
  const events: SessionEvent[] = [];
  session.hear((event) => {
    if ('type' in event) renderer.pause();
    else if ('durable' in event) {
      events.push(event.durable);
      renderer.event(event.durable, events.length, stateOf(events));
    } else renderer.transient(event.transient);
  });
  await scene(session);
  renderer.stopped(session.state);
  return text.trimEnd();
}

describe.for(Object.entries(SCENES))('%s', ([name, scene]) => {
  test('looks as it was looked at once, on every terminal', async () => {
    const album = new Album();
    const wide: string[] = [];
    for (const size of SIZES) {
      const screen = await shot(scene, size, false);
      album.add(nameOf(size), screen.text);
      if (!screen.written.includes('\u001b[?1049h')) wide.push(...(await tooWide(screen.written, size)));
      const coloured = await shot(scene, size, true);
      if (size === SIZES[0])
        album.add(`${nameOf(size)} · colour`, await styledScreen(coloured.written, size));
    }
    album.add('lines', await inLines(scene, 80));
    const file = name.replaceAll(/[^a-z]+/gu, '-');
    await expect(album.text).toMatchFileSnapshot(`screens/after/${file}.txt`);
    expect(wide).toEqual([]);
  });
});
