// The keys that count.

import { mutant } from '../mutant.mjs';

const keys = 'test/screen/keys.test.ts';
const arming = 'test/human/prompt-arming.test.ts';
const promptKeys = 'test/human/prompt-keys.test.ts';
const terminalKeys = 'test/human/terminal-keys.test.ts';

export const human = [
  mutant(
    'keys count at once',
    'src/human/device/arming.ts',
    [['deafMs: 300', 'deafMs: 0']],
    arming,
    promptKeys,
  ),
  mutant(
    'early keys ask for no quiet',
    'src/human/device/arming.ts',
    [['quietMs: 400', 'quietMs: 0']],
    arming,
    promptKeys,
  ),
  mutant(
    'every key counts',
    'src/human/device/arming.ts',
    [['if (at >= this.#readyAt) return true;\n    this.#wait(at);\n    return false;', 'return true;']],
    arming,
    promptKeys,
  ),
  mutant(
    'a prompt that is drawn again is armed',
    'src/human/prompt/guard.ts',
    [['this.#arming.restart(this.#clock.now());', '']],
    promptKeys,
  ),
  mutant(
    'keys of one read count',
    'src/human/prompt/guard.ts',
    [['this.drop() || !alone', 'this.drop()']],
    promptKeys,
  ),
  mutant(
    'keys that follow at once count',
    'src/human/prompt/guard.ts',
    [['this.drop() || !alone', '!alone']],
    promptKeys,
    keys,
  ),
  mutant(
    'pastes are keys',
    'src/human/device/keys.ts',
    [['if (input.startsWith(PASTE_START, 1))', 'if (false)']],
    terminalKeys,
    promptKeys,
  ),
  mutant(
    'reports are keys',
    'src/human/device/keys.ts',
    [["if (']PX^_'.includes(second)) return readString(text);", '']],
    terminalKeys,
    promptKeys,
  ),
];
