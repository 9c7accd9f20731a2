// Counts the keys of ten pieces of work in the built program, and writes the table of docs/terminal.md; --check compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { format } from 'prettier';

import { Screen } from './screen.js';
import type { Reply } from './stage.js';
import { CART_EDIT, Stage } from './stage.js';

const PAGE = fileURLToPath(new URL('../../docs/terminal.md', import.meta.url));
const ASKED = 'Your decision:';
/** A piece of work, and how many keys of Claude Code 2.1.197 the same took at 80x24; absent where it was not counted. */
interface Work {
  readonly what: string;
  readonly claude?: number;
  readonly replies: readonly Reply[];
  /** The keys, and what then stands on the screen. */
  readonly play: (screen: Screen) => Promise<void>;
}

const lines = (count: number, name: string): string =>
  Array.from({ length: count }, (_, at) => `${name} ${at + 1}\n`).join('');
const write = (path: string, content: string): Reply => ({
  tools: [{ name: 'write_file', input: { path, content } }],
});
const command = (word: string): Reply => ({
  tools: [{ name: 'run_command', input: { argv: ['echo', word] } }],
});
const ask = (input: object): Reply => ({ tools: [{ name: 'ask_user', input }] });
const edit: Reply = { tools: [CART_EDIT] };
const done: Reply = { text: 'That is all.' };

/** Presses keys at a question, and waits for its decision. */
const decide =
  (...keys: readonly string[]) =>
  async (screen: Screen): Promise<void> => {
    await screen.until(ASKED);
    await screen.press(...keys);
    await screen.until('That is all.');
  };

const WORKS: readonly Work[] = [
  { what: 'approve an edit of three lines', claude: 1, replies: [edit, done], play: decide('y') },
  {
    what: 'approve a new file of 11 lines',
    claude: 1,
    replies: [write('new.txt', lines(11, 'line')), done],
    play: decide('y'),
  },
  { what: 'approve a first shell command', claude: 1, replies: [command('one'), done], play: decide('y') },
  {
    what: 'approve a second shell command',
    claude: 1,
    replies: [command('one'), command('two'), done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('y');
      await screen.until('echo two');
      screen.keys = 0;
      await decide('y')(screen);
    },
  },
  {
    what: 'replace a file by 120 lines',
    replies: [write('src/cart.js', lines(120, 'line')), done],
    play: async (screen) => {
      await screen.until(ASKED);
      while (screen.shown.includes('not seen yet')) {
        await screen.press(' ');
        await screen.until(ASKED);
      }
      await decide('y')(screen);
    },
  },
  {
    what: 'reject an edit, and say why',
    replies: [edit, done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('n');
      await screen.until('reason');
      await screen.say('keep it');
      await screen.until('That is all.');
    },
  },
  {
    what: 'choose one of three',
    replies: [ask({ question: 'Which?', choices: ['one', 'two', 'three'] }), done],
    play: async (screen) => {
      await screen.until('Your choice:');
      await screen.press('2', '\r');
      await screen.until('That is all.');
    },
  },
  {
    what: 'answer a question in words',
    replies: [ask({ question: 'What is it called?' }), done],
    play: async (screen) => {
      await screen.until('answer:');
      await screen.say('the shop');
      await screen.until('That is all.');
    },
  },
  {
    what: 'put a question aside, come back, approve',
    replies: [edit, done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('\u001b');
      await screen.until('a question waits');
      await screen.press('\t');
      await decide('y')(screen);
    },
  },
  {
    what: 'cancel a call, and let the model go on',
    replies: [{ ...command('one'), text: 'First this.' }, done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('c');
      await screen.until('That is all.');
    },
  },
];

async function keysOf({ replies, play }: Work): Promise<number> {
  using stage = new Stage();
  const model = stage.model(...replies);
  using screen = new Screen(stage, ['chat', 'go', '--model', model, '--sandbox', 'off'], {
    columns: 80,
    rows: 24,
  });
  await play(screen);
  return screen.keys;
}

const counted: (readonly [string, number, number | undefined])[] = [];
for (const work of WORKS) {
  counted.push([work.what, await keysOf(work), work.claude]);
  process.stderr.write(`${counted.at(-1)?.join(' ') ?? ''}\n`);
}
const more = counted.filter(([, keys, claude]) => claude !== undefined && keys > claude);
for (const [what] of more) process.stderr.write(`more keys than elsewhere: ${what}\n`);
const rows = counted.map(([what, keys, claude]) => `| ${what} | ${keys} | ${claude ?? 'not counted'} |`);
const table = ['| work at 80x24 | keys | Claude Code 2.1.197 |', '| --- | --- | --- |', ...rows].join('\n');
const before = readFileSync(PAGE, 'utf8');
const START = '<!-- keys: written by npm run keys -->';
const END = '<!-- end of keys -->';
const from = before.indexOf(START) + START.length;
const to = before.indexOf(END);
const after = await format(`${before.slice(0, from)}\n\n${table}\n\n${before.slice(to)}`, {
  parser: 'markdown',
  printWidth: 110,
});
const isCheck = process.argv.includes('--check');
if (!isCheck) writeFileSync(PAGE, after);
process.stdout.write(
  `${counted.length} counted, ${more.length} too many, ${after === before ? 'current' : 'changed'}\n`,
);
process.exitCode = more.length > 0 || (isCheck && after !== before) ? 1 : 0;
