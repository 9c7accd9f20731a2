// Invariants:
// P1 The words of a server reach the model only after the person here chose its prompt, and saw them where somebody sits.
// P2 They stand between fences, and are said to be the server's; keys in them are masked.
import type { Part, Shown, Turn, TurnSource } from '../../src/core/index.js';
import {
  count,
  escapeText,
  fenced,
  HitlError,
  isHitlError,
  joined,
  meantHint,
  messageOf,
  nearNames,
  shown,
  textPart,
} from '../../src/core/index.js';
import type { McpConnection, OfferedPrompt } from '../../src/tools/mcp/index.js';
import { masked, partsProblem } from './attached-resources.js';
import type { PromptArguments } from './prompt-arguments.js';
import { answered, formOf, missing, promptUsage, readArguments } from './prompt-arguments.js';
import type { RunServers } from './start-servers.js';

/** Dependencies for running a server's prompt. */
export interface PromptPlace {
  readonly servers: Pick<RunServers, 'servers' | 'ask' | 'settled'>;
  readonly secrets: readonly string[];
  readonly takesMedia: () => boolean;
  /** Shows something to the user. */
  readonly say: (text: Shown) => void;
  /**
   * Asks whether to send the messages that were shown. Absent if no user is present. In that case, the
   * messages are sent without asking.
   */
  readonly confirm?: (message: string, signal: AbortSignal) => Promise<boolean>;
  /** Starts work that the user can stop, and returns its signal. */
  readonly beginWork: () => AbortSignal;
}

interface Chosen {
  readonly connection: McpConnection;
  readonly prompt: OfferedPrompt;
  readonly words: string;
}

const WORDS = { empty: 'is empty', media: 'has images' };

/** Wraps a turn source so that a turn with `/server:prompt` is replaced with the messages from the server. */
export function withServerPrompts(turns: TurnSource, place: PromptPlace): TurnSource {
  return {
    async next(state, signal): Promise<Turn> {
      for (;;) {
        const turn = await turns.next(state, signal);
        if (turn.type !== 'message' || !/^\/[\w-]+:/u.test(turn.text)) return turn;
        try {
          const stop = AbortSignal.any([place.beginWork(), signal]);
          const chosen = await chosenIn(turn.text, place);
          if (chosen === undefined) return turn;
          const said = await sayPrompt(chosen, place, stop);
          if (said !== undefined)
            return { ...turn, ...said, attached: [...said.attached, ...(turn.attached ?? [])] };
        } catch (thrown) {
          signal.throwIfAborted();
          if (place.confirm === undefined) throw thrown;
          const hint =
            isHitlError(thrown) && thrown.hint !== undefined ? shown`; ${escapeText(thrown.hint)}` : shown``;
          place.say(shown`${escapeText(messageOf(thrown))}${hint}`);
        }
      }
    },
  };
}

/**
 * Finds the prompt that a line refers to. Returns `undefined` if the line does not refer to one of the
 * session's servers.
 * @throws HitlError BAD_INPUT for an unknown prompt.
 */
async function chosenIn(line: string, { servers }: PromptPlace): Promise<Chosen | undefined> {
  const [, server = '', name = '', words = ''] = /^\/([\w-]+):(\S*)\s*([^]*)$/u.exec(line.trimEnd()) ?? [];
  const connection = servers.servers.connections.find((one) => one.server.name === server);
  if (connection === undefined) return undefined;
  await servers.settled();
  const { prompts } = connection.texts;
  const prompt = prompts.find((one) => one.name === name);
  if (prompt !== undefined) return { connection, prompt, words };
  const names = prompts.map((one) => one.name);
  throw new HitlError('BAD_INPUT', `server \`${server}\` has no prompt \`${name}\``, {
    hint:
      names.length === 0
        ? 'it has no prompts; see /mcp'
        : meantHint(nearNames(name, names), `valid prompts: ${names.join(', ')}`),
  });
}

interface SaidPrompt {
  readonly text: string;
  readonly attached: readonly Part[];
}

/**
 * Asks for missing arguments, requests the prompt, and shows the result. Returns `undefined` if the user
 * declines to send it.
 */
async function sayPrompt(
  chosen: Chosen,
  place: PromptPlace,
  signal: AbortSignal,
): Promise<SaidPrompt | undefined> {
  const { connection, prompt } = chosen;
  const { name: server } = connection.server;
  const args = await argumentsOf(chosen, place, signal);
  if (args === undefined) return undefined;
  const parts = (await connection.prompt(prompt, args, signal)).map((part) => masked(part, place.secrets));
  const problem = partsProblem(parts, place.takesMedia(), WORDS);
  if (problem !== undefined)
    throw new HitlError('BAD_INPUT', `the prompt \`${server}:${prompt.name}\` ${problem}`);
  if (place.confirm !== undefined) {
    place.say(seen(server, parts)); // P1
    if (!(await place.confirm(`Send this text from ${server}?`, signal))) return undefined;
  }
  const said = Object.entries(args).map(
    ([name, value]) => `${name}=${/[\s"']/u.test(value) ? JSON.stringify(value) : value}`,
  );
  return {
    text: [`/${server}:${prompt.name}`, ...said].join(' '),
    attached: parts.map((part) =>
      part.type === 'text' // P2
        ? textPart(`I chose the prompt ${prompt.name} from server ${server}. It says:\n${fenced(part.text)}`)
        : part,
    ),
  };
}

async function argumentsOf(
  { connection, prompt, words }: Chosen,
  { servers, confirm }: PromptPlace,
  signal: AbortSignal,
): Promise<PromptArguments | undefined> {
  const { name: server } = connection.server;
  const given = readArguments(prompt, words);
  const left = missing(prompt, given);
  // Words leave out what may be left out; who says none is asked for all of it.
  const isAsked = left.length > 0 || words === '';
  if (!isAsked) return given;
  if (confirm === undefined && left.length === 0) return given;
  if (confirm === undefined)
    throw new HitlError(
      'BAD_INPUT',
      `the prompt \`${server}:${prompt.name}\` requires \`${left[0] ?? ''}\``,
      {
        hint: `use ${promptUsage(server, prompt)}, or ${left[0] ?? ''}=…`,
      },
    );
  const form = formOf(server, prompt, given);
  if (form === undefined) return given;
  const { resolution } = await servers.ask({ question: form, asker: `${server}:${prompt.name}` }, signal);
  return resolution.action === 'respond' ? { ...given, ...answered(resolution.output) } : undefined;
}

/** Formats messages from a server for review. */
function seen(server: string, parts: readonly Part[]): Shown {
  const lines = parts.flatMap((part) =>
    part.type === 'text'
      ? part.text.split('\n').map((line) => shown`│ ${escapeText(line)}`)
      : [shown`│ [${escapeText(part.type)}]`],
  );
  return joined([shown`${escapeText(server)} says (${count(lines.length, 'line')}):`, ...lines]);
}
