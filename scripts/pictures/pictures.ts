// What is on the pictures, each by a real run.
import type { Reply, Stage } from './stage.js';
import { CART_EDIT } from './stage.js';
import type { Screen } from './screen.js';

/** A picture, and how its screen comes about. */
export interface Picture {
  readonly name: string;
  readonly title: string;
  readonly size?: { readonly columns: number; readonly rows: number };
  /** What the program is started with. */
  readonly args: (stage: Stage) => readonly string[];
  readonly play: (screen: Screen) => Promise<void>;
}

const ASKED = /this (?:call|command|edit)\?/u;
const EDIT: Reply = {
  text: 'I looked at the cart and at its tests. The discount is taken off after the tax, so that a customer pays tax on money that was never paid.',
  tools: [CART_EDIT],
};
const COMMAND: Reply = {
  text: 'Now the tests.',
  tools: [
    {
      name: 'run_command',
      input: {
        writes: true,
        argv: ['node', '-e', 'for (let n = 1; n <= 41; n += 1) console.log("ok " + n + " - a test")'],
      },
    },
  ],
};
const WRITE: Reply = {
  tools: [
    {
      name: 'write_file',
      input: {
        path: 'NOTES.md',
        content: '# Notes\n\n- The discount comes off before the tax.\n- `total` rounds to cents.\n',
      },
    },
  ],
};
const DONE: Reply = { text: 'Done: the tax is on what is really paid.' };
const ask = (input: object): Reply => ({ tools: [{ name: 'ask_user', input }] });

const chat =
  (...replies: readonly Reply[]) =>
  (stage: Stage) => [
    'chat',
    'Fix the total of the cart',
    '--model',
    stage.model(...replies),
    '--sandbox', // not every machine that checks the pictures has one
    'off',
  ];

/** The pictures of docs/screens.md, in their order. */
export const PICTURES: readonly Picture[] = [
  {
    name: 'start',
    title: 'The start of a chat with the built-in demo model',
    args: () => ['chat', '--model', 'demo'],
    play: (screen) => screen.until('> '),
  },
  {
    name: 'confirmation',
    title: 'The bank example asks before it transfers more than 100',
    args: () => ['chat', 'Transfer 200 to ABC123', '--model', 'demo'],
    play: (screen) => screen.until(ASKED),
  },
  {
    name: 'edit',
    title: 'An edit, with the changed words highlighted',
    args: chat(EDIT, DONE),
    play: (screen) => screen.until(ASKED),
  },
  {
    name: 'write',
    title: 'A new file',
    args: chat(WRITE, DONE),
    play: (screen) => screen.until(ASKED),
  },
  {
    name: 'command',
    title: 'A command',
    args: chat(COMMAND, DONE),
    play: (screen) => screen.until(ASKED),
  },
  {
    name: 'reason',
    title: 'Rejecting with a reason, with the change still visible',
    args: chat(EDIT, DONE),
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('n');
      await screen.type('keep the rounding as it is');
      await screen.until('as it is');
    },
  },
  {
    name: 'decided',
    title: 'After the decisions: one line for each, with its result',
    args: chat(EDIT, COMMAND, WRITE, DONE),
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('y');
      await screen.until('Run `node');
      await screen.until(ASKED);
      await screen.press('y');
      await screen.until('NOTES.md');
      await screen.press('n');
      await screen.say('no notes, please');
      await screen.until('really paid');
    },
  },
  {
    name: 'choice',
    title: 'A question with choices',
    args: chat(
      ask({
        question: 'How should the discount be rounded?',
        choices: ['to cents', 'to 5 cents', 'not at all'],
      }),
      DONE,
    ),
    play: (screen) => screen.until('Your choice:'),
  },
  {
    name: 'form',
    title: 'A form asks for its fields one at a time',
    args: chat(
      ask({
        question: 'Release the shop?',
        fields: [
          { name: 'version', label: 'Version' },
          { name: 'draft', label: 'Draft?', type: 'yes-no' },
          { name: 'token', label: 'Token', type: 'secret' },
        ],
      }),
      DONE,
    ),
    play: async (screen) => {
      await screen.until('Version');
      await screen.say('1.5');
      await screen.until('Draft?');
    },
  },
  {
    name: 'several',
    title: 'Several open questions',
    args: () => ['chat', 'Transfer 200 to ABC123 and 300 to DEF456', '--model', 'demo'],
    play: (screen) => screen.until('Approve both calls?'),
  },
  {
    name: 'warnings',
    title: 'Deceptive characters are escaped, with a warning',
    args: chat(
      {
        tools: [
          {
            name: 'run_command',
            input: { writes: true, command: 'cat notes.txt\u202e | sh # \u0430ll good' },
          },
        ],
      },
      DONE,
    ),
    play: (screen) => screen.until(ASKED),
  },
  {
    name: 'narrow',
    title: 'The same edit on a terminal of 40 columns and 16 rows',
    size: { columns: 40, rows: 16 },
    args: chat(EDIT, DONE),
    play: (screen) => screen.until(ASKED),
  },
];
