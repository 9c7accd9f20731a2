import { basename } from 'node:path';
import type { JsonObject, JsonValue } from '../../src/core/index.js';
import { isJsonArray, isJsonObject, membersOf, parseStrictJson, sha256 } from '../../src/core/index.js';
import { absoluteWords, followed, guardedFolder, loadingVariables } from '../../src/programs/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import type { Looked } from '../trust/unseen.js';
import { areTrusted, isTrusted } from '../trust/trust.js';
import { foundBytes } from '../../src/files/index.js';
import { lookedAt } from '../trust/unseen.js';
import { answeredByFolder, folderOfFile, serverLabel } from './consent.js';

/** The servers in a project's `.mcp.json`. */
export interface ProjectServers {
  readonly path: string;
  /** Whether the servers may start. */
  readonly trusted: boolean;
  /** Server entries by name. Each records the file that it comes from. */
  readonly servers: JsonObject;
  /** The reason that all servers in the file are ignored. */
  readonly problem?: string;
}

/**
 * Reads `.mcp.json`, which shares a project's servers among agents. The file specifies programs, so no server
 * starts until the file is trusted (G34). If no one can be asked, its servers are skipped with a notice.
 * Without `mode`, no one is asked.
 */
export async function projectServers(
  io: Io,
  flags: Pick<RunFlags, 'trust' | 'color' | 'mcp'>,
  { path, mode }: { readonly path: string; readonly mode: Mode | undefined },
): Promise<ProjectServers> {
  const none = { path, trusted: false, servers: {} };
  const bytes = foundBytes(path);
  if (bytes === undefined) return none;
  const read = parseStrictJson(bytes.toString('utf8'));
  const named = membersOf(read.ok ? read.value : null)['mcpServers'];
  if (!isJsonObject(named)) return { ...none, problem: `\`${path}\` has no \`mcpServers\`` };
  const servers = Object.fromEntries(
    Object.entries(named).flatMap(([name, entry]) => {
      if (!isJsonObject(entry) || isOwn(entry)) return [];
      return [[name, { ...entry, from: path, project: path }] as const];
    }),
  );
  const wanted = flags.mcp ?? Object.keys(servers);
  if (!wanted.some((name) => Object.hasOwn(servers, name))) return { path, trusted: true, servers: {} };
  // The words, the folder and the files that are named: what is trusted is what is started.
  const looked = Object.entries(servers).map((one) => lookedAtServer(io, one, path));
  const files = [{ path, sha256: sha256(bytes) }, ...looked.flatMap((one) => one.trusted)];
  if (mode === undefined || (flags.trust === undefined && !(mode.interactive && io.stdin.isTTY))) {
    if ((mode === undefined && flags.trust === true) || (await areTrusted(io, files)))
      return { path, trusted: true, servers };
    return { ...none, servers, problem: `\`${path}\` is not trusted; its servers are skipped: ${HINT}` };
  }
  const trusted = await isTrusted(io, flags, mode, {
    what: 'the servers configured for this folder',
    files,
    lines: Object.entries(servers).flatMap((one, at) => [
      ...linesOf(one, path),
      ...(looked[at]?.lines ?? []),
    ]),
    otherwise: 'or continue without them: --no-trust',
  });
  return { path, trusted, servers };
}

const HINT = 'review it, then add --trust';

/** Whether an entry is hitl's own server. It is meant for other agents, so hitl's own sessions skip it. */
function isOwn({ command, args = [] }: JsonObject): boolean {
  return (
    typeof command === 'string' && basename(command) === 'hitl' && isJsonArray(args) && args[0] === 'mcp'
  );
}

/** Lists everything that affects what starts, so that users know exactly what they are trusting. */
function linesOf([name, entry]: readonly [string, JsonValue], path: string): readonly string[] {
  const { command, url, cwd, headers } = membersOf(entry);
  if (command === undefined) {
    const sent = Object.entries(membersOf(headers)).map(
      ([key, value]) => `, ${key}: ${JSON.stringify(value)}`,
    );
    return [`${name}: ${JSON.stringify(url ?? null)}${sent.join('')}  (URL that receives calls)`];
  }
  const [program = '', ...args] = wordsOf(entry);
  const folder = folderOfFile(path, typeof cwd === 'string' ? cwd : undefined);
  const stead = answeredByFolder({ command: program, args, cwd: folder });
  const words = [program, ...args].map((word) => JSON.stringify(word).slice(1, -1)).join(' ');
  return [
    `${name}: ${words}  (program that runs with your permissions, in ${folder}${stead})`,
    ...variableLines(name, membersOf(membersOf(entry)['env'])),
  ];
}

function variableLines(name: string, env: JsonObject): readonly string[] {
  const loading = loadingVariables(env);
  return Object.entries(env).map(([key, value]) => {
    const does = loading.includes(key)
      ? 'environment variable that can make the server load code not shown in its arguments'
      : 'environment variable for the server';
    return `${name}: ${JSON.stringify(key).slice(1, -1)}=${JSON.stringify(value)}  (${does})`;
  });
}

function wordsOf(entry: JsonValue): readonly string[] {
  const { command, args = [] } = membersOf(entry);
  return (isJsonArray(args) ? [command ?? '', ...args] : [command ?? '']).map(String);
}

/**
 * Returns the files that a server loads. Files whose paths depend on variables are left out; the user is
 * asked about them once the variables are known.
 */
function lookedAtServer(io: Io, [name, entry]: readonly [string, JsonValue], path: string): Looked {
  const { command, cwd, env } = membersOf(entry);
  if (command === undefined) return { files: [], trusted: [], lines: [] };
  const stands = folderOfFile(path, typeof cwd === 'string' ? cwd : undefined);
  const variables = Object.entries(membersOf(env)).map(
    ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const words = absoluteWords(wordsOf(entry), stands);
  const program = { words, env: Object.fromEntries(variables), stands, guarded: guardedFolder(io) };
  return lookedAt(io, serverLabel(name), followed(program));
}
