import { shown, laidOut, trimmed } from '../../../src/core/index.js';
import { KEYS_HELP } from '../../../src/human/seated.js';
import { formatTable } from '../../../src/render/index.js';
import type { SlashHandler } from '../context.js';
import { lookOf } from './look.js';
import { usageOf } from '../usage.js';

/** `/help`: the commands of the prompt, and where there are keys, what they do. */
export const help: SlashHandler = (_argument, { io, mode, flags, commands: all }, print) => {
  const look = lookOf(io, flags);
  const commands = formatTable(
    all,
    [
      { title: '', text: usageOf, style: () => look.theme.code },
      { title: '', text: (command) => command.help, narrows: 'wrap' },
    ],
    { ...look, titles: false },
  );
  print(trimmed(commands));
  if (mode.keys !== undefined)
    print(shown`\n${laidOut(KEYS_HELP.map((line) => look.theme.dim(line)).join('\n'))}`);
};
