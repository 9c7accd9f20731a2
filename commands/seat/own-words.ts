import type { Turn, TurnSource } from '../../src/core/index.js';
import { escapeText } from '../../src/core/index.js';
import { ownCommand } from '../../src/human/index.js';
import { confirmOne } from '../../src/human/seated.js';
import type { CreatedModel } from '../../src/models/index.js';
import { attachedFiles } from '../input/attached-files.js';
import type { Io } from '../host/index.js';
import { secretValues } from '../host/index.js';
import type { AttachedResources } from '../mcp/attached-resources.js';
import type { RunServers } from '../mcp/start-servers.js';
import type { Signals } from '../exit/signals.js';
import { runOwnCommand, ShownOutput, toldCommand } from './own-command.js';
import type { Seat } from './seat.js';
import { attachedResources } from '../mcp/attached-resources.js';

/** The model that receives attachments, and the servers that provide resources. */
interface OwnWordsPlace {
  readonly model: { readonly current: CreatedModel };
  readonly servers: Pick<RunServers, 'servers'>;
}

/**
 * Returns the turns of a user at the terminal. `@file` attaches a text, image or PDF, `@server:uri` attaches
 * a resource, and `!command` runs the user's command and asks whether to share the output.
 */
export function ownWords(
  io: Io,
  seat: Seat,
  signals: Pick<Signals, 'beginWork'>,
  { model, servers: { servers } }: OwnWordsPlace,
): TurnSource {
  const say = (text: string): void => {
    seat.device.screen.append(`${seat.look.dim(text)}\n`);
  };
  const ofTheirs = async (text: string, signal: AbortSignal): Promise<AttachedResources> => {
    if (servers.connections.length === 0 || !text.includes('@')) return { parts: [], notices: [] };
    const takesMedia = model.current.takesMedia !== false;
    return attachedResources(servers, text, { secrets: secretValues(io.env), takesMedia }, signal);
  };
  return {
    async next(state, signal): Promise<Turn> {
      for (;;) {
        const turn = await seat.turns.next(state, signal);
        if (turn.type !== 'message') return turn;
        const command = ownCommand(turn.text);
        if (command !== undefined) {
          const told = await ranAndTold(io, seat, command, AbortSignal.any([signals.beginWork(), signal]));
          if (told === undefined) continue;
          return { type: 'message', text: told };
        }
        const files = await attachedFiles(io, turn.text, model.current);
        files.notices.forEach(say);
        const ofServers = await ofTheirs(turn.text, AbortSignal.any([signals.beginWork(), signal]));
        for (const notice of ofServers.notices) say(escapeText(notice));
        const parts = [...files.parts, ...ofServers.parts];
        return parts.length === 0 ? turn : { ...turn, attached: parts };
      }
    },
  };
}

/** Runs a command and returns the text to share with the model; `undefined` if the user keeps it private. */
async function ranAndTold(
  io: Io,
  { device, look }: Seat,
  command: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const shown = new ShownOutput((text) => {
    device.screen.append(text);
  });
  const end = await runOwnCommand(
    io,
    command,
    (text) => {
      shown.push(text);
    },
    signal,
  );
  shown.end();
  device.screen.append(`${look.dim(`  ${end.how}`)}\n`);
  if (signal.aborted) return undefined;
  const question = {
    message: 'Share this output with the model?',
    yes: 'share',
    no: 'keep private',
  };
  const isTold = await confirmOne({ device, clock: io.clock, theme: look }, question, signal);
  return isTold ? toldCommand(io, command, end) : undefined;
}
