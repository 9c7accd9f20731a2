import type { Shown } from '../../src/core/index.js';
import { escapeText, HitlError, nearNames, shown } from '../../src/core/index.js';
import { tell } from '../host/index.js';
import type { SlashCommand, SlashContext } from './context.js';
import { SLASH_COMMANDS } from './table.js';
import { usageOf } from './usage.js';

/**
 * Runs a slash command of the chat prompt.
 * @throws HitlError BAD_INPUT for one that is unknown, or with an argument that it does not take, where no person could
 * type another.
 */
export async function runSlash(
  name: string,
  argument: string,
  context: Omit<SlashContext, 'commands'>,
): Promise<'handled' | 'quit'> {
  const { io, renderer, mode } = context;
  const print = (text: Shown): void => {
    tell(io.stderr, text);
  };
  renderer.pause();
  const command = SLASH_COMMANDS.find((one) => one.name === name);
  const problem = command === undefined ? unknown(name) : misused(command, argument);
  if (command === undefined || problem !== undefined) {
    const wrong = problem ?? unknown(name);
    if (!mode.interactive) throw wrong;
    print(
      shown`${escapeText(wrong.message)}${wrong.hint === undefined ? shown`` : shown`; ${escapeText(wrong.hint)}`}`,
    );
    return 'handled';
  }
  const run = await command.load();
  return (await run(argument, { ...context, commands: SLASH_COMMANDS }, print)) ?? 'handled';
}

function unknown(name: string): HitlError {
  const names = SLASH_COMMANDS.map((one) => one.name);
  const near = nearNames(name, names).map((one) => `\`/${one}\``);
  const meant = near.length === 0 ? '' : `did you mean ${near.join(' or ')}? `;
  return new HitlError('BAD_INPUT', `unknown command \`/${name}\``, {
    hint: `${meant}\`/help\` lists the commands, and \`//${name}\` is text`,
  });
}

/** Says what is wrong with the argument of a command; nothing where it is as the command takes it. */
function misused(command: SlashCommand, given: string): HitlError | undefined {
  const { name, argument } = command;
  if (argument === undefined)
    return given === ''
      ? undefined
      : new HitlError('BAD_INPUT', `\`/${name}\` takes nothing, and got \`${given}\``, {
          hint: `type \`/${name}\``,
        });
  if (given !== '' || !argument.startsWith('<')) return undefined;
  return new HitlError('BAD_INPUT', `\`/${name}\` needs ${argument}`, {
    hint: `type \`${usageOf(command)}\``,
  });
}
