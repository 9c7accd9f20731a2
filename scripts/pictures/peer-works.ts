// The same pieces of work in Claude Code, in the order of ours.
import { decidesAt, done, lines } from './key-works.js';
import type { Work } from './key-works.js';
import type { Screen } from './screen.js';
import type { Reply } from './stage.js';
import { CART_EDIT } from './stage.js';

/** What the model says and a person does there, in a folder. */
export type PeerMake = (folder: string) => Omit<Work, 'what'>;

/** A piece of work there: how many keys it took when it was counted last, or why it cannot be done. */
export type PeerWork =
  { readonly keys: number; readonly make: PeerMake } | { readonly keys?: never; readonly why: string };

const call = (name: string, input: object): Reply => ({ tools: [{ name, input }] });
const command = (word: string): Reply => call('Bash', { command: `touch ${word}`, description: 'Touch' });
const ASKED = 'Do you want to';

const { input: cart } = CART_EDIT;

/** It changes only files that it has read. */
function change(folder: string): readonly Reply[] {
  const file_path = `${folder}/${cart.path}`;
  return [
    call('Read', { file_path }),
    call('Edit', { file_path, old_string: cart.oldText, new_string: cart.newText }),
  ];
}

const decide = decidesAt(ASKED);

/** Esc refuses and gives the prompt back; what is said there goes on. */
async function refuse(screen: Screen, words: string): Promise<void> {
  await screen.until(ASKED);
  await screen.press('\u001b');
  await screen.until(/Interrupted|Rejected/u);
  await screen.say(words);
  await screen.until('That is all.');
}

export const PEER_WORKS: readonly PeerWork[] = [
  { keys: 1, make: (folder) => ({ replies: [...change(folder), done], play: decide('1') }) },
  {
    keys: 1,
    make: (folder) => ({
      replies: [call('Write', { file_path: `${folder}/new.txt`, content: lines(11, 'line') }), done],
      play: decide('1'),
    }),
  },
  { keys: 1, make: () => ({ replies: [command('one'), done], play: decide('1') }) },
  {
    keys: 1,
    make: () => ({
      replies: [command('one'), command('two'), done],
      play: async (screen) => {
        await screen.until(ASKED);
        await screen.press('1');
        await screen.until(/touch two[^]*Do you want to/u);
        screen.keys = 0;
        await decide('1')(screen);
      },
    }),
  },
  {
    keys: 13,
    make: (folder) => ({
      replies: [
        call('Read', { file_path: `${folder}/${cart.path}` }),
        call('Write', { file_path: `${folder}/${cart.path}`, content: lines(120, 'line') }),
        done,
      ],
      play: async (screen) => {
        await screen.until(ASKED);
        while (!screen.shown.includes('readFileSync')) {
          await screen.press('\u001b[5~');
          await screen.until('Waiting for your answer');
        }
        // The first key goes back to the question.
        await screen.press('1');
        await decide('1')(screen);
      },
    }),
  },
  {
    keys: 2,
    make: (folder) => ({
      replies: [...change(folder), done],
      play: (screen) => refuse(screen, 'keep it'),
    }),
  },
  {
    keys: 1,
    make: () => ({
      replies: [
        call('AskUserQuestion', {
          questions: [
            {
              question: 'Which?',
              header: 'Which',
              multiSelect: false,
              options: ['one', 'two', 'three'].map((label) => ({ label, description: label })),
            },
          ],
        }),
        done,
      ],
      play: async (screen) => {
        await screen.until('Which?');
        await screen.press('2');
        await screen.until('That is all.');
      },
    }),
  },
  {
    keys: 1,
    make: () => ({
      replies: [{ text: 'What is it called?' }, done],
      play: async (screen) => {
        await screen.until('What is it called?');
        await screen.say('the shop');
        await screen.until('That is all.');
      },
    }),
  },
  { why: 'Esc rejects' },
  { keys: 2, make: () => ({ replies: [command('one'), done], play: (screen) => refuse(screen, 'go on') }) },
];
