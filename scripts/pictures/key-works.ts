// Ten pieces of work of a person, in the built program.
import type { Screen } from './screen.js';
import type { Reply } from './stage.js';
import { CART_EDIT } from './stage.js';

const ASKED = 'Your decision:';
/** A piece of work: what the model says, and what a person does. */
export interface Work {
  readonly what: string;
  readonly replies: readonly Reply[];
  /** The keys, and what then stands on the screen. */
  readonly play: (screen: Screen) => Promise<void>;
}

export const lines = (count: number, name: string): string =>
  Array.from({ length: count }, (_, at) => `${name} ${at + 1}\n`).join('');
const write = (path: string, content: string): Reply => ({
  tools: [{ name: 'write_file', input: { path, content } }],
});
const command = (word: string): Reply => ({
  tools: [{ name: 'run_command', input: { argv: ['touch', word] } }],
});
const ask = (input: object): Reply => ({ tools: [{ name: 'ask_user', input }] });
const edit: Reply = { tools: [CART_EDIT] };
export const done: Reply = { text: 'That is all.' };

/** Presses keys at a question that is known by some words, and waits for what comes of it. */
export const decidesAt =
  (asked: string) =>
  (...keys: readonly string[]) =>
  async (screen: Screen): Promise<void> => {
    await screen.until(asked);
    await screen.press(...keys);
    await screen.until('That is all.');
  };

const decide = decidesAt(ASKED);

/** The ten that are counted. */
export const WORKS: readonly Work[] = [
  { what: 'approve an edit of three lines', replies: [edit, done], play: decide('y') },
  {
    what: 'approve a new file of 11 lines',
    replies: [write('new.txt', lines(11, 'line')), done],
    play: decide('y'),
  },
  { what: 'approve a first shell command', replies: [command('one'), done], play: decide('y') },
  {
    what: 'approve a second shell command',
    replies: [command('one'), command('two'), done],
    play: async (screen) => {
      await screen.until(ASKED);
      await screen.press('y');
      await screen.until('touch two');
      screen.keys = 0;
      await decide('y')(screen);
    },
  },
  {
    what: 'see all of a file of 120 lines that replaces one, approve',
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
      await screen.press('2');
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
