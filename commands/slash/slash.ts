import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Session } from '../../src/core/index.js';
import {
  escapeText,
  HitlError,
  messageOf,
  nearNames,
  openInterrupts,
  transcriptMessages,
} from '../../src/core/index.js';
import type { Drawing } from '../../src/render/index.js';
import { formatUsage, transcriptText } from '../../src/render/index.js';
import type { SlashContext } from './context.js';
import { SLASH_COMMANDS } from './names.js';
import { runRules } from './rules.js';
import { forkSession } from '../rewind.js';
import { takeBack } from './undo.js';
import { stderrTheme } from '../host/index.js';
import type { Io } from '../host/index.js';

/**
 * Runs a slash command of the chat prompt.
 * @throws HitlError BAD_INPUT for an unknown one where no person could type another.
 */
export async function runSlash(
  name: string,
  argument: string,
  context: SlashContext,
): Promise<'handled' | 'quit'> {
  const { io, session, tools, renderer, interactive } = context;
  const print = (text: string): void => void io.stderr.write(`${text}\n`);
  renderer.pause();
  switch (name) {
    case 'quit':
      return 'quit';
    case 'help':
      print(
        Object.entries(SLASH_COMMANDS)
          .map(([command, what]) => `/${command.padEnd(8)} ${what}`)
          .join('\n'),
      );
      return 'handled';
    case 'status':
      print(statusText(session));
      return 'handled';
    case 'tools':
      print(
        tools.descriptors
          .map((tool) => `${escapeText(tool.name)}  ${tool.effect}  ${escapeText(tool.origin)}`)
          .join('\n'),
      );
      return 'handled';
    case 'rules':
      await runRules(argument, context, print);
      return 'handled';
    case 'model':
      print(escapeText(session.state.agent?.model ?? 'unknown'));
      return 'handled';
    case 'show':
      print(transcriptText(session.state, drawingOf(io)));
      return 'handled';
    case 'undo':
    case 'rewind':
      await takeBack(name === 'undo' ? '1' : argument, context, print);
      return 'handled';
    case 'fork':
      await forkHere(context, print);
      return 'handled';
    case 'save':
      await session.saveTranscript?.();
      print('saved');
      return 'handled';
    case 'export':
      await exportTo(argument, context, print);
      return 'handled';
    case 'clear':
      if (interactive) io.stderr.write('\u001b[2J\u001b[H');
      return 'handled';
    default:
      return unknown(name, interactive, print);
  }
}

async function forkHere({ io, session, store }: SlashContext, print: (text: string) => void): Promise<void> {
  if (!store.capabilities.durable) {
    print('nothing of this session is kept: there is nothing to fork');
    return;
  }
  const { id } = await forkSession(io, store, session.id);
  print(`forked: hitl resume ${id}`);
}

function drawingOf(io: Io): Drawing {
  return { theme: stderrTheme(io, true), columns: io.stderr.columns };
}

function statusText({ id, state }: Session): string {
  const open = openInterrupts(state);
  const waits = open.length === 0 ? 'nothing is open' : `open: ${open.map((one) => one.id).join(', ')}`;
  return `session ${id}: ${state.turns} ${state.turns === 1 ? 'turn' : 'turns'}, ${waits}; ${formatUsage(state.usage, state.usage)}`;
}

async function exportTo(
  file: string,
  { io, session }: SlashContext,
  print: (text: string) => void,
): Promise<void> {
  if (file === '') {
    print('/export needs a file: /export notes.json');
    return;
  }
  const path = resolve(io.cwd, file);
  try {
    const text = JSON.stringify({ id: session.id, messages: transcriptMessages(session.state) }, null, 2);
    await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
    print(`written: ${escapeText(path)}`);
  } catch (thrown) {
    print(`not written: ${escapeText(messageOf(thrown))}`);
  }
}

function unknown(name: string, interactive: boolean, print: (text: string) => void): 'handled' {
  const near = nearNames(name, Object.keys(SLASH_COMMANDS)).map((one) => `/${one}`);
  const meant = near.length === 0 ? '' : `did you mean ${near.join(' or ')}? `;
  const hint = `${meant}\`/help\` lists the commands, and \`//${name}\` is text`;
  if (!interactive) throw new HitlError('BAD_INPUT', `unknown command \`/${name}\``, { hint });
  print(`unknown command /${escapeText(name)}; ${hint}`);
  return 'handled';
}
