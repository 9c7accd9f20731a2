import type { Shown } from '../../src/core/index.js';
import { escapeText, HitlError, isHitlError, nearNames, shown } from '../../src/core/index.js';
import type { Offer } from '../../src/human/index.js';
import { readPromptLine } from '../../src/repl/index.js';
import { tell } from '../host/index.js';
import type { SlashCommand, SlashContext } from './context.js';
import { SLASH_COMMANDS, usageOf } from './table.js';

/**
 * Runs a slash command.
 * @throws HitlError BAD_INPUT for an unknown command or an invalid argument in a script. Interactive users
 * see a message instead.
 */
export async function runSlash(
  name: string,
  argument: string,
  context: Omit<SlashContext, 'commands' | 'leave'>,
): Promise<'handled' | 'quit'> {
  const { io, renderer, mode } = context;
  const print = (text: Shown): void => {
    tell(io.stderr, text);
  };
  let how: 'handled' | 'quit' = 'handled';
  const leave = (): void => {
    how = 'quit';
  };
  renderer.pause();
  try {
    const { run } = commandFor(name, argument);
    await run(argument, { ...context, commands: SLASH_COMMANDS, leave }, print);
  } catch (thrown) {
    if (!mode.interactive || !isHitlError(thrown) || thrown.code !== 'BAD_INPUT') throw thrown;
    const { message, hint } = thrown;
    print(shown`${escapeText(message)}${hint === undefined ? shown`` : shown`; ${escapeText(hint)}`}`);
  }
  return how;
}

/**
 * Returns the command with this name.
 * @throws HitlError BAD_INPUT if there is none, or if it does not accept the argument.
 */
function commandFor(name: string, given: string): SlashCommand {
  const command = SLASH_COMMANDS.find((one) => one.name === name);
  if (command === undefined) throw unknown(name);
  const { argument = '' } = command;
  if (argument === '' && given !== '')
    throw new HitlError('BAD_INPUT', `\`/${name}\` accepts no arguments`, {
      hint: `type \`/${name}\``,
    });
  if (argument.startsWith('<') && given === '')
    throw new HitlError('BAD_INPUT', `\`/${name}\` requires ${argument}`, {
      hint: `type \`${usageOf(command)}\``,
    });
  return command;
}

function unknown(name: string): HitlError {
  const names = SLASH_COMMANDS.map((one) => one.name);
  const near = nearNames(name, names).map((one) => `\`/${one}\``);
  const meant = near.length === 0 ? '' : `did you mean ${near.join(' or ')}? `;
  return new HitlError('BAD_INPUT', `unknown command \`/${name}\``, {
    hint: `${meant}\`/help\` lists commands; type \`//${name}\` to send it as text`,
  });
}

/**
 * Returns a handler for lines entered while a question is postponed. The handler runs commands that do not
 * change the session, one after another. It returns false for any other line, which then waits for the
 * answer.
 */
export function besideQuestion(
  run: (name: string, argument: string) => Promise<unknown>,
  failed: (thrown: unknown) => void,
): (line: string) => boolean {
  let last: Promise<unknown> = Promise.resolve();
  return (line) => {
    const read = readPromptLine(line);
    if (read.type === 'text') return false;
    const { name, argument } = read;
    if (SLASH_COMMANDS.find((one) => one.name === name)?.beside === false) return false;
    last = last.then(() => run(name, argument)).catch(failed);
    return true;
  };
}

/** Returns the matching commands with their descriptions. */
export function slashOffers(line: string): readonly Offer[] {
  if (!line.startsWith('/') || line.startsWith('//')) return [];
  const [, named, typed = ''] = /^\/([a-z]+) (\S*)$/u.exec(line) ?? [];
  if (named !== undefined) return valueOffers(named, typed);
  return SLASH_COMMANDS.flatMap((command) => {
    const { name, argument, help } = command;
    const whole = `/${name}${argument === undefined ? '' : ' '}`;
    return `/${name}`.startsWith(line) && `/${name}` !== line
      ? [{ line: whole, label: usageOf(command), help }]
      : [];
  });
}

/**
 * Returns the arguments of a command that start with the typed text. The provider prefix, such as
 * `anthropic:`, may be omitted.
 */
function valueOffers(name: string, typed: string): readonly Offer[] {
  const values = SLASH_COMMANDS.find((one) => one.name === name)?.values?.() ?? [];
  return values.flatMap(({ value, help }) => {
    const label = value.slice(value.indexOf(':') + 1);
    const fits = (value.startsWith(typed) || label.startsWith(typed)) && value !== typed;
    return fits ? [{ line: `/${name} ${value}`, label, help }] : [];
  });
}

/** The command that Esc Esc runs: goes back to an earlier message. */
export const BACK = '/rewind';
