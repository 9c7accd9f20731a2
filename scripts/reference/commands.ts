import type { Command, Option } from 'commander';

import { COMMAND_GROUPS } from '../../commands/help/root-help.js';

/** The flags that many commands share, which are told once. */
interface Shared {
  /** Those that every command takes. */
  readonly common: readonly Option[];
  /** Those, beside them, of all commands that run a model. */
  readonly model: readonly Option[];
}

/** The page of every command with its arguments and flags, made from the commands as they are declared. */
export function commandsPage(program: Command): string {
  const byName = new Map(program.commands.map((command) => [command.name(), command]));
  const optionsOf = (name: string): readonly Option[] => byName.get(name)?.options ?? [];
  const common = optionsOf('list').filter((option) => isAmong(option, optionsOf('chat')));
  const model = optionsOf('chat').filter(
    (option) =>
      !isAmong(option, common) && isAmong(option, optionsOf('resume')) && isAmong(option, optionsOf('run')),
  );
  const groups = Object.entries(COMMAND_GROUPS).map(([title, names]) => {
    const commands = names.flatMap((name) => byName.get(name) ?? []).flatMap((one) => [one, ...one.commands]);
    return `## ${title}\n\n${commands.map((command) => sectionOf(command, { common, model })).join('\n')}`;
  });
  return [
    '# The command line',
    '',
    'Made from the program by `npm run reference`; `hitl <command> --help` says the same.',
    '',
    ...groups,
    '## Flags of every command',
    '',
    table(common),
    '## Flags of commands that run a model',
    '',
    '`chat`, `resume`, `run` and the others that say so take them all.',
    '',
    table(model),
    '## Statuses',
    '',
    '`hitl help exit-codes` prints them. 0: finished, and nothing is open. 3: saved, and something waits for a person.',
    '',
  ].join('\n');
}

function isAmong({ flags }: Option, options: readonly Option[]): boolean {
  return options.some((option) => option.flags === flags);
}

function sectionOf(command: Command, { common, model }: Shared): string {
  const runsModel = model.every((option) => isAmong(option, command.options));
  const told = runsModel ? [...common, ...model] : common;
  return [
    `### \`${usageOf(command)}\``,
    '',
    `${sentence(command.description())}${runsModel ? ' Takes the flags of commands that run a model.' : ''}`,
    '',
    ...argumentLines(command),
    table(command.options.filter((option) => !isAmong(option, told))),
  ].join('\n');
}

function usageOf(command: Command): string {
  const names: string[] = [];
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name());
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [...names, ...words].join(' ');
}

function argumentLines(command: Command): readonly string[] {
  const told = command.registeredArguments.filter(({ description }) => description !== '');
  if (told.length === 0) return [];
  return [...told.map((argument) => `- \`${argument.name()}\`: ${cell(argument.description)}`), ''];
}

function table(options: readonly Option[]): string {
  if (options.length === 0) return '';
  const rows = options.map((option) => {
    const { argChoices, envVar, flags, description } = option;
    const values =
      argChoices === undefined ? '' : `: ${argChoices.map((value) => `\`${value}\``).join(', ')}`;
    const variable = envVar === undefined ? '' : ` (\`${envVar}\`)`;
    return `| \`${flags.replaceAll('|', '\\|')}\` | ${cell(description)}${values}${variable} |`;
  });
  return `| flag | what it does |\n| --- | --- |\n${rows.join('\n')}\n`;
}

/** Text of a help as Markdown takes it in a table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');
}

function sentence(text: string): string {
  const whole = cell(text);
  return `${whole.slice(0, 1).toUpperCase()}${whole.slice(1)}.`;
}
