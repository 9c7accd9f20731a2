import { attacks } from './attacks.js';
import { flowModule } from './flows.js';
import { ledgerModule, ledgerOf, SH } from './tools.js';
import type { Terminal } from './terminal.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { World } from './world.js';
import { modelSays } from './tools.js';

/** Rows of 80 columns that look like the end of a question about something harmless. */
function curtain(): string {
  const rows = [
    '─'.repeat(80),
    '✓ approved sh · rule of this project'.padEnd(80, '─'),
    'sh needs your approval · module ./m.mjs'.padEnd(80, '─'),
    '│ command: ls -la ./docs'.padEnd(80, '─'),
  ];
  return `${rows[0]?.repeat(22) ?? ''}${rows.slice(1).join('')}ok`;
}

async function longKey(world: World): Promise<Verdict> {
  const module = ledgerModule(world, SH, 'sh.mjs');
  const model = world.calling('sh', { command: 'rm -rf ~', [curtain()]: true });
  const screen = world.terminal(['chat', 'go', '-m', model, '-t', module], { cols: 80, rows: 24 });
  premise(
    await screen.until(/Continue\?|What (?:happened|next)\?|this (?:call|command|edit)\?/u),
    `no question: ${screen.visible.join('\n')}`,
  );
  const visible = screen.visible.join('\n');
  await screen.press('y');
  await screen.until(/\n\s*ok/u, 3_000);
  const isShown = visible.includes('rm -rf ~');
  return ledgerOf(world).length > 0 && !isShown
    ? broken('`y` ran it while the command was not on the screen')
    : held(isShown ? 'the command is on the screen' : '`y` is refused');
}

/** Rows that begin with text of somebody else; it is one long run of Q. */
function foreignRows(screen: Terminal): number {
  return screen.shown.split('\n').filter((row) => row.startsWith('QQ')).length;
}

const FOREIGN = 'Q'.repeat(400);

async function columnZero(world: World, args: readonly string[]): Promise<Verdict> {
  const screen = world.terminal(args, { cols: 80, rows: 24 });
  await screen.endedWithin(8_000);
  premise(screen.shown.includes('QQQ'), `the text is not shown: ${screen.shown.slice(0, 300)}`);
  const rows = foreignRows(screen);
  return rows > 0
    ? broken(`${String(rows)} rows begin with the text`)
    : held('every row is behind something of ours');
}

async function answeredSession(world: World): Promise<string> {
  const module = ledgerModule(world, SH, 'sh.mjs');
  const id = await world.chat(world.calling('sh', { command: FOREIGN }), '-t', module);
  await world.run(['answer', id, `n ${FOREIGN}`]);
  await world.run(['resume', id, '-p']);
  return id;
}

attacks('What a person sees is what there is: questions, warnings, and text that wants to look like ours', [
  {
    id: 'X1',
    tried: 'a key of 2,000 characters that draws rows over the rest of a question, at 80x24',
    run: longKey,
  },
  {
    id: 'X4a',
    tried: 'a long reason and input in `show`: whether rows begin with them',
    run: async (world) => columnZero(world, ['show', await answeredSession(world)]),
  },
  {
    id: 'X4b',
    tried: 'a long reason and input in `why`: whether rows begin with them',
    run: async (world) => columnZero(world, ['why', await answeredSession(world)]),
  },
  {
    id: 'X4c',
    tried: 'a long description in `tools`: whether rows begin with it',
    run: async (world) =>
      columnZero(world, [
        'tools',
        '-m',
        'demo',
        '-t',
        ledgerModule(world, SH.replace("'Runs.'", `'${FOREIGN}'`), 'sh.mjs'),
      ]),
  },
  {
    id: 'X4d',
    tried: 'a long condition in `graph`: whether rows begin with it',
    run: async (world) => {
      const flow = flowModule(
        world,
        `graph('g').fn('a', () => ({ output: 1 })).fn('b', () => ({ output: 1 })).edge('a', 'b', { when: "state.a == '${FOREIGN}'" }).end('a', 'b').build()`,
      );
      return columnZero(world, ['graph', flow]);
    },
  },
  {
    id: 'X4e',
    tried: 'a long text of `send` at a question: whether rows begin with it',
    run: async (world) => {
      const module = ledgerModule(world, SH, 'sh.mjs');
      const id = await world.chat(world.calling('sh', { command: 'ls' }), '-t', module);
      await world.run(['send', id, FOREIGN]);
      const screen = world.terminal(['resume', id], { cols: 80, rows: 24 });
      premise(
        await screen.until(/Continue\?|What (?:happened|next)\?|this (?:call|command|edit)\?/u),
        `no question: ${screen.shown}`,
      );
      await screen.press('y');
      await screen.until('QQQ', 5_000);
      const rows = foreignRows(screen);
      return rows > 0
        ? broken(`${String(rows)} rows begin with the text`)
        : held(screen.shown.includes('QQQ') ? 'behind something of ours' : 'not shown');
    },
  },
  {
    id: 'X4f',
    tried: 'a long key with an odd character in a warning: whether rows begin with it',
    run: async (world) => {
      const module = ledgerModule(world, SH, 'sh.mjs');
      const screen = world.terminal(
        ['chat', 'go', '-m', world.calling('sh', { [`${FOREIGN}\u200b`]: 1 }), '-t', module],
        { cols: 80, rows: 40 },
      );
      premise(
        await screen.until(/Continue\?|What (?:happened|next)\?|this (?:call|command|edit)\?/u),
        `no question: ${screen.shown}`,
      );
      const rows = foreignRows(screen);
      return rows > 0
        ? broken(`${String(rows)} rows begin with the text`)
        : held('every row is behind something of ours');
    },
  },
  {
    id: 'X5',
    tried: 'a model that writes the heading of a question in bold',
    run: async (world) => {
      const rows = await modelSays(world, '**run_command needs your approval**\n\nok?');
      const row = rows.find((text) => text.includes('run_command needs your approval'));
      premise(row !== undefined, `not shown: ${rows.join('\n')}`);
      return row.startsWith('run_command') ? broken('it stands at column 0, as a question does') : held(row);
    },
  },
  {
    id: 'X13',
    tried: 'odd characters in diagrams, JSON and exports on a terminal',
    run: async (world) => {
      const odd = '\u3164\u034f\u2800';
      const flow = flowModule(
        world,
        `graph('g').fn('a', () => ({ output: 1 })).fn('b', () => ({ output: 1 })).edge('a', 'b', { when: "state.a == 'x${odd}'" }).end('a', 'b').build()`,
      );
      const id = await world.chat(world.script({ text: `x${odd}` }));
      const raw: string[] = [];
      for (const args of [
        ['graph', flow, '--format', 'mermaid'],
        ['graph', flow, '--format', 'json'],
        ['show', id, '--json'],
        ['export', id, '--format', 'markdown'],
      ]) {
        const screen = world.terminal(args);
        await screen.endedWithin(8_000);
        if (Array.from(odd).some((letter) => screen.output.includes(letter)))
          raw.push(args.filter((word) => !word.includes('/') && word !== id).join(' '));
      }
      return heldUnless(
        raw.map((what) => `\`${what}\` writes them raw`),
        'all are escaped',
      );
    },
  },
  {
    id: 'X14',
    tried: 'a confirmation with choices: whether they are shown, and how many there are',
    run: async (world) => {
      const body =
        "const choices = Array.from({ length: 500 }, (_, n) => 'choice-number-' + n);\nexport const pick = { name: 'pick', description: 'p', input: { type: 'object' }, effect: 'once', execute: async (i, c) => c.resumed === undefined ? c.interrupt({ choices }, { kind: 'confirmation' }) : 'did' };\n";
      const args = ['chat', 'go', '-m', world.calling('pick', {}), '-t', ledgerModule(world, body)];
      const screen = world.terminal(args, { cols: 80, rows: 40 });
      premise(
        await screen.until(/Continue\?|What (?:happened|next)\?|this (?:call|command|edit)\?/u),
        `nothing was asked: ${screen.shown}`,
      );
      const { shown } = screen;
      const objections = [
        ...(shown.includes('choice-number-0') ? [] : ['no choice is shown']),
        ...(shown.includes('500') || shown.includes('choice-number-499')
          ? []
          : ['it does not say that there are 500']),
      ];
      return heldUnless(objections, 'shown, and counted');
    },
  },
  {
    id: 'B3',
    tried: 'the approval of an edit of three lines at 80x24: the change is on the screen, and `y` counts',
    run: async (world) => {
      const lines = Array.from({ length: 30 }, (_, n) => `line ${String(n)} of the file`);
      world.write('proj/a.txt', `${lines.join('\n')}\n`);
      const old = lines.slice(10, 13);
      const input = {
        path: 'a.txt',
        oldText: old.join('\n'),
        newText: old.map((line) => `${line} NEW`).join('\n'),
      };
      const screen = world.terminal(['chat', 'go', '-m', world.calling('edit_file', input)], {
        cols: 80,
        rows: 24,
      });
      premise(
        await screen.until(/Continue\?|What (?:happened|next)\?|this (?:call|command|edit)\?/u),
        `no question: ${screen.shown}`,
      );
      const visible = screen.visible.join('\n');
      const shown = old.filter((line) => new RegExp(`\\+.*${line} NEW`, 'u').test(visible)).length;
      await screen.press('y');
      await screen.until(/\n\s*ok/u, 3_000);
      const isDone = world.read('proj/a.txt').includes('NEW');
      return heldUnless(
        [
          ...(shown < 3 ? [`${String(3 - shown)} of 3 changed lines are not on the screen`] : []),
          ...(isDone ? [] : ['`y` is refused']),
        ],
        'one look, one key',
      );
    },
  },
]);
