// The keys that count.

import { mutant } from '../mutant.mjs';

const keys = 'test/screen/keys.test.ts';
const arming = 'test/human/prompt-arming.test.ts';
const promptKeys = 'test/human/prompt-keys.test.ts';
const terminalKeys = 'test/human/terminal-keys.test.ts';

export const human = [
  mutant(
    '`hitl answer` does not compare the digest',
    'commands/answer.ts',
    [['if (digest === undefined || isDigestOf(digest, found)) return found;', 'return found;']],
    'test/commands/question-named.test.ts',
  ),
  mutant(
    'a yes needs no digest',
    'src/core/answer/named.ts',
    [
      [
        "naming.any === true || !isYes(resolution)) return 'counts';",
        "naming.any !== false) return 'counts';",
      ],
    ],
    'test/core/answer-names.test.ts',
  ),
  mutant(
    '`hitl mcp` does not compare the state',
    'commands/mcp-server/asking-server.ts',
    [['state.asked === asked && !isUsed', '!isUsed']],
    'test/commands/asking.test.ts',
  ),
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
    'a change of size leaves keys armed',
    'src/human/prompt/guard.ts',
    [
      [
        'this.#arming.restart(this.#clock.now());',
        "if (event.type === 'continued') this.#arming.restart(this.#clock.now());",
      ],
    ],
    'test/human/terminal.test.ts',
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
