// Plays the works with the real Claude Code. What a person agrees to runs there without a sandbox, so all of it runs in
// one: a read-only system, this machine as the only network, and no other processes.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Played } from './judge.js';
import { refOf, startModel, TICKETS } from './play.js';
import type { World } from './world.js';
import { createWorld } from './world.js';
import type { Work } from './works.js';
import { readWorks } from './works.js';

const PACKAGES = fileURLToPath(new URL('../../bench/agents/node_modules/@anthropic-ai/', import.meta.url));
const CLAUDE = path.join(PACKAGES, `claude-code-${process.platform}-${process.arch}/claude`);

/** Its modes, by the names of our rows. */
export const PEER_MODES = {
  'claude-default': 'default',
  'claude-accept-edits': 'acceptEdits',
} as const;
export type PeerMode = keyof typeof PEER_MODES;

/** A work that was played, as far as its tools match the calls; `at` says which call of the work one was, from 1. */
export interface PlayedWork {
  readonly work: string;
  readonly played: readonly (Played & { readonly at: number })[];
}

/** Says how it is installed, where it is not. */
export function whyNoPeer(): string | undefined {
  return existsSync(CLAUDE)
    ? undefined
    : 'Claude Code is not here: npm ci --ignore-scripts --prefix bench/agents';
}

export function peerVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(PACKAGES, 'claude-code/package.json'), 'utf8')) as {
    version: string;
  };
  return `Claude Code ${version}`;
}

/** Plays works in a mode, in a sandbox around the program, the model and the world. */
export async function playInBox(mode: PeerMode, works: readonly Work[]): Promise<readonly PlayedWork[]> {
  mkdirSync('reports', { recursive: true });
  const child = spawn(
    'bwrap',
    [
      ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', '/run'],
      ...['--bind', path.resolve('reports'), path.resolve('reports')],
      ...['--unshare-all', '--die-with-parent', '--new-session', process.execPath, ...process.execArgv],
      ...[fileURLToPath(import.meta.url), mode, ...works.map(({ work }) => work)],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const done: PlayedWork[] = [];
  for await (const line of createInterface({ input: child.stdout }))
    done.push(JSON.parse(line) as PlayedWork);
  if (done.length !== works.length) throw new Error(`${mode}: ${done.length} of ${works.length} were played`);
  return done;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The call as its tools make it; it lists and searches by commands, as it says itself. */
export function matching(
  { tool, input }: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> },
  { home, project, fill }: Pick<World, 'home' | 'project' | 'fill'>,
): Block | undefined {
  const words = (value: unknown): string => fill(typeof value === 'string' ? value : JSON.stringify(value));
  const text = (name: string): string => words(input[name] ?? '');
  const file = (): string => path.resolve(project, text('path').replace(/^~(?=\/)/u, home));
  const bash = (command: string, timeout = input['timeoutMs']): Block => ({
    name: 'Bash',
    input: { command, ...(timeout !== undefined && { timeout }) },
  });
  switch (tool) {
    case 'read_file':
      return {
        name: 'Read',
        input: {
          file_path: file(),
          offset: input['fromLine'],
          limit: input['maxLines'],
        },
      };
    case 'write_file':
      return {
        name: 'Write',
        input: { file_path: file(), content: text('content') },
      };
    case 'edit_file':
      return {
        name: 'Edit',
        input: {
          file_path: file(),
          old_string: text('oldText'),
          new_string: text('newText'),
        },
      };
    case 'list_files':
      return bash(`${input['recursive'] === true ? 'find' : 'ls'} ${quoted(text('path'))}`);
    case 'search_files': {
      const most = input['maxMatches'] === undefined ? '' : ` | head -n ${text('maxMatches')}`;
      const kind = input['regex'] === true ? 'E' : 'F';
      return bash(`grep -rn${kind} -- ${quoted(text('pattern'))} ${quoted(text('path') || '.')}${most}`);
    }
    case 'run_command':
      return bash(
        Array.isArray(input['argv'])
          ? input['argv'].map((word) => quoted(words(word))).join(' ')
          : text('command'),
      );
    default:
      return tool.startsWith('tickets__') ? { name: `mcp__${tool}`, input } : undefined;
  }
}

interface Block {
  readonly name: string;
  readonly input: object;
}

/** The parts of a line of its output that are looked at. */
interface Line {
  readonly type: string;
  readonly request_id?: string;
  readonly request?: {
    readonly subtype: string;
    readonly tool_use_id?: string;
    readonly input?: object;
  };
  readonly message?: { readonly content: string | readonly ToolResult[] };
}

interface ToolResult {
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

/** What it says of a call that it did not begin. */
const REFUSED = /^"?(?:<tool_use_error>|Permission to use)/u;

/** What would end the program that plays, too: a person says no to that alone. */
const ENDS_ALL = /\bkill -9 -1\b|\bpkill node\b/u;

/** A person says yes to what it asks, by the way of its own library: where its terminal would show the question. */
async function play(work: Work, mode: PeerMode): Promise<PlayedWork> {
  await using world = await createWorld(work);
  const matched = work.calls.flatMap((call, index) => {
    const block = matching(call, world);
    return block === undefined ? [] : [{ call, at: index + 1, block }];
  });
  const model = await startModel(
    world,
    matched.map(({ block }) => block),
    false,
  );
  try {
    const server = {
      command: 'node',
      args: [TICKETS, world.fill('{{server}}')],
    };
    const servers = JSON.stringify({
      mcpServers: { ...(work.tickets && { tickets: server }) },
    });
    const child = spawn(
      CLAUDE,
      [
        ...['-p', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'],
        ...['--permission-mode', PEER_MODES[mode], '--permission-prompt-tool', 'stdio'],
        ...['--strict-mcp-config', '--mcp-config', servers],
      ],
      {
        cwd: world.project,
        stdio: ['pipe', 'pipe', 'inherit'],
        env: {
          ...{
            PATH: '/usr/local/bin:/usr/bin:/bin',
            HOME: world.home,
            CLAUDE_CONFIG_DIR: world.state,
          },
          ...{
            ANTHROPIC_API_KEY: 'x',
            ANTHROPIC_BASE_URL: model.url,
            DEPLOY: world.key,
          },
          ...{
            DISABLE_TELEMETRY: '1',
            DISABLE_AUTOUPDATER: '1',
            ENABLE_TOOL_SEARCH: 'false',
          },
          ...{
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
            BASH_DEFAULT_TIMEOUT_MS: '10000',
          },
          // It would end a command that lasts in the background, and tell the model in a turn more.
          CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
          XDG_CACHE_HOME: path.join(world.state, 'cache'),
        },
      },
    );
    const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
    send({ type: 'user', message: { role: 'user', content: work.says } });
    const asked: (string | undefined)[] = [];
    const told = new Map<string | undefined, string>();
    for await (const line of createInterface({ input: child.stdout })) {
      const { type, request_id, request, message } = JSON.parse(line) as Line;
      if (type === 'result') child.stdin.end();
      const content = type === 'user' ? message?.content : undefined;
      for (const one of typeof content === 'object' ? content : [])
        told.set(one.tool_use_id, JSON.stringify(one.content));
      if (request?.subtype !== 'can_use_tool') continue;
      asked.push(request.tool_use_id);
      const response = ENDS_ALL.test(JSON.stringify(request.input))
        ? { behavior: 'deny', message: 'It would end this, too.' }
        : { behavior: 'allow', updatedInput: request.input };
      send({
        type: 'control_response',
        response: { subtype: 'success', request_id, response },
      });
    }
    const { results } = model;
    if (results.length < matched.length)
      throw new Error(`${work.work} in ${mode}: ${results.length} of ${matched.length} calls were played`);
    const played = matched.map(({ call, at }, index) => ({
      call,
      at,
      questions: asked.filter((ref) => ref === refOf(index)).length,
      ran: !REFUSED.test(told.get(refOf(index)) ?? ''),
      effects: results[index]?.effects ?? [],
    }));
    return { work: work.work, played };
  } finally {
    await model.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [mode = '', ...names] = process.argv.slice(2);
  for (const work of readWorks(names)) {
    process.stderr.write(`${mode}: ${work.work}\n`);
    process.stdout.write(`${JSON.stringify(await play(work, mode as PeerMode))}\n`);
  }
}
