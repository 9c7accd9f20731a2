import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';

import { EXIT_STATUSES } from '../../commands/exit/exit-codes.js';
import { settingRows } from '../../commands/settings/settings.js';
import { SLASH_COMMANDS } from '../../commands/slash/table.js';
import { KINDS } from '../reference/answers.js';
import { WORDS } from '../reference/errors.js';
import { KEPT, SHOWN } from '../reference/events.js';
import { allCommands, flagsOf } from './commands.js';
import { exportedValues, usedVariables } from './names.js';
import type { Page } from './pages.js';

/** Things of one sort that the program has, each of which some page must tell of. */
export interface Inventory {
  /** The sort, in a word or two. */
  readonly sort: string;
  readonly names: readonly string[];
  /** A text tells of a name where it holds one of these: the name as a reader would look for it. */
  readonly shownAs: (name: string) => RegExp;
}

/** Names that the program has and no page tells of. */
export function untold(pages: readonly Page[], inventories: readonly Inventory[]): readonly string[] {
  const text = pages.map((page) => page.text).join('\n');
  return inventories.flatMap(({ sort, names, shownAs }) => [
    ...(names.length === 0 ? [`there is no ${sort} to look for`] : []),
    ...names
      .filter((name) => !shownAs(name).test(text))
      .map((name) => `no page tells of the ${sort} ${name}`),
  ]);
}

/** Everything that the program has by names of its own. */
export function inventoriesOf(program: Command): readonly Inventory[] {
  const commands = allCommands(program).filter((command) => !command.name().startsWith('__'));
  const flags = new Set([program, ...commands].flatMap(flagsOf));
  const keys = settingRows().flatMap(([key, { file }]) => (file === undefined ? [] : [key]));
  const typed = commands.map((command) => typedName(command, program));
  return [
    { sort: 'flag', names: [...flags], shownAs: (name) => wholly(name) },
    { sort: 'key', names: keys, shownAs: (name) => new RegExp(`[\`"]${name}[\`"]`, 'u') },
    { sort: 'variable', names: [...usedVariables()], shownAs: (name) => wholly(name) },
    { sort: 'command', names: typed, shownAs: (name) => wholly(`hitl ${name}`) },
    {
      sort: 'slash command',
      names: SLASH_COMMANDS.map(({ name }) => `/${name}`),
      shownAs: (name) => new RegExp(`\`${name}[ \`]`, 'u'),
    },
    {
      sort: 'exit status',
      names: Object.keys(EXIT_STATUSES),
      shownAs: (name) => new RegExp(`^\\| *\`?${name}\`? *\\|`, 'mu'),
    },
    {
      sort: 'export',
      names: exportedValues(),
      shownAs: (name) => new RegExp(`\`${name}[\`(]`, 'u'),
    },
    { sort: 'error code', names: Object.keys(WORDS), shownAs: quoted },
    { sort: 'type of event', names: [...Object.keys(KEPT), ...Object.keys(SHOWN)], shownAs: quoted },
    { sort: 'kind of question', names: Object.keys(KINDS), shownAs: quoted },
  ];
}

function typedName(command: Command, program: Command): string {
  const above = command.parent;
  return above === null || above === program ? command.name() : `${above.name()} ${command.name()}`;
}

function wholly(name: string): RegExp {
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'u');
}

function quoted(name: string): RegExp {
  return new RegExp(`\`${name}\``, 'u');
}
