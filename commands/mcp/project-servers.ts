import { basename } from 'node:path';
import type { JsonObject, JsonValue } from '../../src/core/index.js';
import { isJsonArray, isJsonObject, membersOf, parseStrictJson, sha256 } from '../../src/core/index.js';
import { absoluteWords, filesOfWords } from '../../src/programs/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import type { Io } from '../host/index.js';
import type { FileContent } from '../trust/index.js';
import { areTrusted, foundBytes, isTrusted } from '../trust/index.js';
import { answeredByFolder, folderOfFile } from './consent.js';

/** The servers that `.mcp.json` of a project names. */
export interface ProjectServers {
  readonly path: string;
  /** False: none of them is started. */
  readonly trusted: boolean;
  /** By their names, each with the file as where it is from. */
  readonly servers: JsonObject;
  /** Says why none of them counts. */
  readonly problem?: string;
}

/**
 * Reads `.mcp.json`, the file by which other agents share servers with a project. It names programs, so nothing of it is
 * started before it is trusted as it is (G34). It is a file of others: where nobody can be asked, it is left out and
 * told. Without `mode` nobody is asked.
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
  if (!isJsonObject(named)) return { ...none, problem: `\`${path}\` names no \`mcpServers\`` };
  const servers = Object.fromEntries(
    Object.entries(named).flatMap(([name, entry]) => {
      if (!isJsonObject(entry) || isOwn(entry)) return [];
      return [[name, { ...entry, from: path, project: path }] as const];
    }),
  );
  const wanted = flags.mcp ?? Object.keys(servers);
  if (!wanted.some((name) => Object.hasOwn(servers, name))) return { path, trusted: true, servers: {} };
  // The words, the folder and the files that are named: what is trusted is what is started.
  const files = [
    { path, sha256: sha256(bytes) },
    ...Object.values(servers).flatMap((one) => filesOf(one, path)),
  ];
  if (mode === undefined || (flags.trust === undefined && !(mode.interactive && io.stdin.isTTY))) {
    if ((mode === undefined && flags.trust === true) || (await areTrusted(io, files)))
      return { path, trusted: true, servers };
    return { ...none, servers, problem: `\`${path}\` is not trusted, so its servers are left out: ${HINT}` };
  }
  const trusted = await isTrusted(io, flags, mode, {
    what: 'the servers of this folder',
    files,
    lines: Object.entries(servers).map((one) => lineOf(one, path)),
    otherwise: 'or go on without them: --no-trust',
  });
  return { path, trusted, servers };
}

const HINT = 'look at it, then add --trust';

/** Our own server is for other agents: a session of ours asks without it. */
function isOwn({ command, args = [] }: JsonObject): boolean {
  return (
    typeof command === 'string' && basename(command) === 'hitl' && isJsonArray(args) && args[0] === 'mcp'
  );
}

function lineOf([name, entry]: readonly [string, JsonValue], path: string): string {
  const { command, url, cwd } = membersOf(entry);
  if (command === undefined)
    return `${name}: ${JSON.stringify(url ?? null)}  (an address that its calls are sent to)`;
  const [program = '', ...args] = wordsOf(entry);
  const folder = folderOfFile(path, typeof cwd === 'string' ? cwd : undefined);
  const stead = answeredByFolder({ command: program, args, cwd: folder });
  return `${name}: ${[program, ...args].join(' ')}  (a program that runs with your rights, in ${folder}${stead})`;
}

function wordsOf(entry: JsonValue): readonly string[] {
  const { command, args = [] } = membersOf(entry);
  return (isJsonArray(args) ? [command ?? '', ...args] : [command ?? '']).map(String);
}

/** The files that the words of a server name; variables in them are not known yet, and are asked about when they are. */
function filesOf(entry: JsonValue, path: string): readonly FileContent[] {
  const { cwd } = membersOf(entry);
  const folder = folderOfFile(path, typeof cwd === 'string' ? cwd : undefined);
  return filesOfWords(absoluteWords(wordsOf(entry), folder));
}
