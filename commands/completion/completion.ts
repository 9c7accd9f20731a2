import type { Argument, CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';

/** The words or value allowed at the position being completed. */
export type Completion =
  | { readonly type: 'words'; readonly words: readonly CompletionWord[] }
  /** A placeholder, such as `id` or `model`, whose values the caller supplies. */
  | { readonly type: 'value'; readonly of: string };

export interface CompletionWord {
  readonly word: string;
  readonly text: string;
}

/**
 * Completes the last word: a command, a flag, a flag's value or an argument, based on the declared commands.
 * @param words the words after the program's name, as split by the shell; the last one is completed and may
 * be empty.
 */
export function completionOf(program: Command, words: readonly string[]): Completion {
  // Bash makes a word of the `=` between a flag and its value; nothing else has such a word.
  const before = words.slice(0, -1).filter((word) => word !== '=');
  const current = words.at(-1) ?? '';
  let command = program;
  let place = 0;
  for (let at = 0; at < before.length; at += 1) {
    const word = before[at] ?? '';
    if (word === '--') return argumentAt(command, place + before.length - at - 1);
    if (word.startsWith('-')) {
      const option = valued(command, word);
      if (option === undefined || word.includes('=')) continue;
      if (at === before.length - 1) return valueOf(option, current, command);
      at += 1;
      if (!option.variadic) continue;
      while (at + 1 < before.length && !before[at + 1]?.startsWith('-')) at += 1;
      if (at === before.length - 1 && !current.startsWith('-')) return valueOf(option, current, command);
      continue;
    }
    const child = childOf(command, word);
    if (child !== undefined && place === 0) command = child;
    else if (command === program) return { type: 'words', words: [] };
    else place += 1;
  }
  if (current.startsWith('-')) return flagOr(command, current);
  const commands = place === 0 ? childrenOf(command) : [];
  return commands.length === 0 ? argumentAt(command, place) : { type: 'words', words: commands };
}

function childOf(command: Command, word: string): Command | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

/** Returns the visible subcommands, which are also the arguments of `help`. */
function childrenOf(command: Command): readonly CompletionWord[] {
  return command.commands
    .filter((child) => !child.name().startsWith('__'))
    .map((child) => ({ word: child.name(), text: child.description() }));
}

/** Returns the option that a flag refers to, if it accepts a value. */
function valued(command: Command, flag: string): Option | undefined {
  const name = flag.split('=', 1)[0];
  const option = command.options.find(({ long, short }) => long === name || short === name);
  return option !== undefined && (option.required || option.optional) ? option : undefined;
}

function flagOr(command: Command, current: string): Completion {
  const at = current.indexOf('=');
  const option = at < 0 ? undefined : valued(command, current);
  if (option === undefined) {
    const words = command.options.map(({ long, flags, description }) => {
      return { word: long ?? flags, text: description };
    });
    return { type: 'words', words };
  }
  const found = valueOf(option, current.slice(at + 1), command);
  if (found.type === 'value') return found;
  const prefix = current.slice(0, at + 1);
  return { type: 'words', words: found.words.map(({ word, text }) => ({ word: prefix + word, text })) };
}

function valueOf(option: Option, current: string, command: Command): Completion {
  if (current.startsWith('-') && option.optional) return flagOr(command, current);
  if (option.argChoices !== undefined) return choices(option.argChoices);
  return placeholder(/[<[]([^>\]]*)[>\]]/u.exec(option.flags)?.[1] ?? '');
}

function argumentAt(command: Command, place: number): Completion {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument: Argument | undefined = registeredArguments[place] ?? (last?.variadic ? last : undefined);
  if (argument === undefined) return { type: 'words', words: [] };
  if (argument.argChoices !== undefined) return choices(argument.argChoices);
  return placeholder(argument.name());
}

function placeholder(name: string): Completion {
  return { type: 'value', of: name.replace(/\.\.\.$/u, '') };
}

function choices(words: readonly string[]): Completion {
  return { type: 'words', words: words.map((word) => ({ word, text: '' })) };
}
