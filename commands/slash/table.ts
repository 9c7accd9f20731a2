import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  count,
  escapeLines,
  escapeText,
  HitlError,
  joined,
  laidOut,
  messageOf,
  SESSION_MODES,
  shown,
  timesOf,
  transcriptMessages,
  trimmed,
} from '../../src/core/index.js';
import { KEYS_HELP } from '../../src/human/seated.js';
import { formatTable, transcriptText } from '../../src/render/index.js';
import { eventsOf, forkSession } from '../../src/repl/index.js';
import { reachedBy } from '../../src/tools/mcp/index.js';
import { standingLines } from '../report/decisions.js';
import { keepMarks, readMarks } from '../report/review-marks.js';
import { reviewIn, reviewText } from '../report/session-review.js';
import { toolTable } from '../report/tool-table.js';
import { stderrTheme } from '../screen/theme.js';
import type { SlashCommand, SlashHandler } from './context.js';
import { lookOf } from './context.js';
import { status, cost, context } from './session-use.js';
import { model, effort, mode, compact, rules, knownModels, LEVELS } from './session-changes.js';
import { addServer } from '../mcp-change.js';
import { wholeCommand } from '../show.js';
import { diff } from './folder-diff.js';
import { undo, rewind } from './take-back.js';

/** `/help`: lists the commands and, if available, the keys. */
const help: SlashHandler = (_argument, { io, mode, flags, commands: all }, print) => {
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

/** `/tools`: lists the available tools and their rules. */
const tools: SlashHandler = (_argument, { io, flags, rules, tools: offered }, print) => {
  const table = toolTable(offered, rules.all, lookOf(io, flags));
  print(table === '' ? shown`No tools are available` : trimmed(table));
};

/** `/mcp`: shows the session's servers and their status. `/mcp add` does the same as `hitl mcp add`. */
const mcp: SlashHandler = async (argument, { io, flags, servers: { servers } }, print) => {
  if (argument !== '') {
    const [verb, name, ...words] = argument.split(/\s+/u);
    const server = words[0] === '--' ? words.slice(1) : words;
    if (verb !== 'add' || name === undefined || server.length === 0)
      throw new HitlError('BAD_INPUT', `unknown: \`/mcp ${argument}\``, {
        hint: 'add one with `/mcp add <name> <command or URL>`',
      });
    const { json: _json, ...told } = flags;
    await addServer(io, name, server, told);
    print(shown`the server starts with the next session, or when this one is resumed`);
    return;
  }
  const lines = servers.connections.map((connection) => {
    const { server } = connection;
    const state = servers.stateOf(connection);
    const tools = servers.tools.filter((tool) => tool.mcp?.server === server.name).length;
    const { prompts, resources } = connection.texts;
    const has = [
      count(tools, 'tool'),
      ...(prompts.length === 0 ? [] : [count(prompts.length, 'prompt')]),
      ...(resources.length === 0 ? [] : [count(resources.length, 'resource')]),
    ];
    const how = state.type === 'ready' ? shown`ready, ${joined(has, ', ')}` : escapeText(state.type);
    const why = state.type === 'failed' ? shown`\n  ${escapeText(state.why)}` : shown``;
    return shown`${escapeText(server.name)}  ${how}  ${escapeText(reachedBy(server))}${why}`;
  });
  print(
    lines.length === 0 ? shown`No MCP servers. Add one: \`/mcp add <name> <command or URL>\`` : joined(lines),
  );
};

/** `/memory`: shows the project instructions that the model receives. */
const memory: SlashHandler = (_argument, { memory: words }, print) => {
  if (words === undefined) {
    print(shown`No project memory. To create it, add AGENTS.md to this folder (--memory off ignores it).`);
    return;
  }
  const { name, text, isCut } = words;
  print(shown`${escapeText(name)}, as sent to the model${isCut ? shown` (the file is longer)` : shown``}:`);
  print(
    laidOut(
      escapeLines(text.trimEnd())
        .map((line) => `  ${line}`)
        .join('\n'),
    ),
  );
};

/** `/show`: shows the transcript so far. */
const show: SlashHandler = async (_argument, { io, flags, session }, print) => {
  const look = { theme: stderrTheme(io, flags.color), columns: io.stderr.columns };
  const events = await eventsOf(session);
  const story = { standings: standingLines(events), times: timesOf(events) };
  print(transcriptText(session.state, look, { ...story, whole: wholeCommand(session.id) }));
};

/**
 * `/review`: lists the session's calls that ran without the user's explicit approval and are not yet marked
 * as seen. `/review seen` marks the listed calls as seen.
 */
const review: SlashHandler = async (argument, { io, flags, session, store, looked }, print) => {
  const { marks, problem } = await readMarks(io);
  if (problem !== undefined) print(problem);
  const found = await reviewIn(session, { mark: marks.get(session.id), all: argument === 'all' });
  if (found.calls.length === 0) {
    print(shown`Nothing to review.`);
    return;
  }
  print(trimmed(reviewText(found, { ...lookOf(io, flags), now: io.clock.now() }, 'calls')));
  if (!store.capabilities.durable) return;
  if (argument !== 'seen' || found.mark === undefined) {
    print(shown`mark them as seen: /review seen`);
    return;
  }
  await keepMarks(io, new Map([[session.id, found.mark]]));
  await looked?.();
  print(shown`Marked ${count(found.calls.length, 'call')} as seen.`);
};

/**
 * Handles `/answer` and `/cancel` when no question is postponed. If one is postponed, this handler never
 * receives them.
 */
const nothingAside: SlashHandler = (_argument, _context, print) => {
  print(shown`No open questions.`);
};

/** `/fork`: creates a session with the same history. The current session continues. */
const fork: SlashHandler = async (_argument, { session, store }, print) => {
  if (!store.capabilities.durable) {
    print(shown`This session is not saved, so it cannot be forked`);
    return;
  }
  const { id } = await forkSession(store, session.id);
  print(shown`forked: hitl resume ${id}`);
};

/** `/save`: writes the transcript next to the journal. */
const save: SlashHandler = async (_argument, { session, store }, print) => {
  if (session.saveTranscript === undefined) {
    print(shown`This session is not saved (--no-save)`);
    return;
  }
  await session.saveTranscript();
  const path = store.capabilities.outputs?.fileBeside(session.id, 'transcript.json');
  print(path === undefined ? shown`saved: hitl show ${session.id}` : shown`saved: ${escapeText(path)}`);
};

/** `/export <file>`: writes the transcript to a new file. */
const exportTo: SlashHandler = async (file, { io, session }, print) => {
  const path = resolve(io.cwd, file);
  try {
    const text = JSON.stringify({ id: session.id, messages: transcriptMessages(session.state) }, null, 2);
    await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
    print(shown`written: ${escapeText(path)}`);
  } catch (thrown) {
    print(shown`not written: ${escapeText(messageOf(thrown))}`);
  }
};

/** `/clear`: clears the screen except for the prompt. */
const clear: SlashHandler = (_argument, context) => {
  context.clear?.();
};

/** `/quit`: leaves. */
const quit: SlashHandler = (_argument, { leave }) => {
  leave();
};

/** Formats the usage of a command, for example `/rewind <turns>`. */
export function usageOf({ name, argument }: SlashCommand): string {
  return `/${name}${argument === undefined ? '' : ` ${argument}`}`;
}

/** All slash commands, in listing order. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    beside: true,
    help: 'Show commands and keys',
    run: help,
  },
  {
    name: 'status',
    beside: true,
    help: 'Show session, model and usage',
    run: (...given) => status(...given),
  },
  {
    name: 'model',
    beside: false,
    argument: '[other]',
    help: 'Show models with prices, or change the model',
    values: knownModels,
    run: (...given) => model(...given),
  },
  {
    name: 'effort',
    argument: '[level]',
    help: 'Show or change reasoning effort',
    values: () => LEVELS.map((value) => ({ value, help: '' })),
    beside: false,
    run: (...given) => effort(...given),
  },
  {
    name: 'mode',
    argument: '[other]',
    help: 'Show or change the approval mode',
    values: () => SESSION_MODES.map((value) => ({ value, help: '' })),
    beside: false,
    run: (...given) => mode(...given),
  },
  {
    name: 'cost',
    beside: true,
    help: 'Show the session’s tokens and cost',
    run: (...given) => cost(...given),
  },
  {
    name: 'context',
    beside: true,
    help: 'Show context usage',
    run: (...given) => context(...given),
  },
  {
    name: 'compact',
    beside: false,
    argument: '[what to keep]',
    help: 'Summarize the conversation to free context (history is kept)',
    run: (...given) => compact(...given),
  },
  {
    name: 'diff',
    beside: true,
    argument: '[path]',
    help: 'Show changes in the folder since the session started',
    run: (...given) => diff(...given),
  },
  {
    name: 'tools',
    beside: true,
    help: 'List tools and their rules',
    run: tools,
  },
  {
    name: 'mcp',
    beside: true,
    argument: '[add <name> <server>]',
    help: 'List MCP servers and their status, or add one',
    run: mcp,
  },
  {
    name: 'memory',
    beside: true,
    help: 'Show the project memory (AGENTS.md) sent to the model',
    run: memory,
  },
  {
    name: 'rules',
    beside: false,
    argument: '[remove <tool>]',
    help: 'List or revoke approvals of this session',
    run: (...given) => rules(...given),
  },
  {
    name: 'answer',
    beside: false,
    help: 'Answer the postponed question',
    run: nothingAside,
  },
  {
    name: 'cancel',
    beside: false,
    help: 'Cancel the postponed question',
    run: nothingAside,
  },
  {
    name: 'show',
    beside: true,
    help: 'Show the transcript',
    run: show,
  },
  {
    name: 'review',
    beside: true,
    argument: '[all or seen]',
    help: 'List calls that ran without your approval',
    values: () => [
      { value: 'all', help: 'include calls marked as seen' },
      { value: 'seen', help: 'mark the listed calls as seen' },
    ],
    run: review,
  },
  {
    name: 'undo',
    beside: false,
    help: 'Undo the last turn (effects of tools are not undone)',
    run: (...given) => undo(...given),
  },
  {
    name: 'rewind',
    beside: false,
    argument: '[turns] [what]',
    help: 'Go back to an earlier message, or restore files (Esc Esc)',
    run: (...given) => rewind(...given),
  },
  {
    name: 'fork',
    beside: false,
    help: 'Fork this session',
    run: fork,
  },
  {
    name: 'save',
    beside: true,
    help: 'Write transcript.json now (the journal is always saved)',
    run: save,
  },
  {
    name: 'export',
    beside: true,
    argument: '<file>',
    help: 'Write the transcript to a file',
    run: exportTo,
  },
  {
    name: 'clear',
    beside: true,
    help: 'Clear the screen',
    run: clear,
  },
  {
    name: 'quit',
    beside: false,
    help: 'Exit (resume later)',
    run: quit,
  },
];
