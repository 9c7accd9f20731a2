// Invariants:
// W1 A server is started as somebody agreed to it: its words, the folder, and the content of the files that it names.
// W2 What a flag names is consent, and is kept. What a session names is a program that somebody may have written into it,
//    and a person trusts it first (G34). What your own configuration names is yours, but for files that the session works
//    on: those count as they were agreed to.
import { dirname, resolve } from 'node:path';
import { digestOf, HitlError } from '../../src/core/index.js';
import { realFolder } from '../../src/files/index.js';
import { guardedFolder, liesIn, runsPackages } from '../../src/programs/index.js';
import type { McpProgram, McpServer } from '../../src/tools/mcp/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import type { FileContent } from '../../src/files/index.js';
import { areTrusted, isTrusted, keepTrust } from '../trust/trust.js';
import { unseenContent } from '../trust/unseen.js';
import { textOfWords } from './command-words.js';

/** The source that specified a server. */
export type NamedBy = 'a flag' | 'a session' | 'a configuration';

/** A server to start, and the source that specified it. */
export interface NamedServer {
  readonly server: McpServer;
  readonly by: NamedBy;
  /** The text that specifies the server, as saved in a session. */
  readonly text: string;
}

/** Flags that control trust. */
export type ConsentFlags = Pick<RunFlags, 'trust' | 'color' | 'save'>;

/**
 * Returns the servers that may start (W1). If the user does not trust a configured server, it is left out and
 * `leftOut` receives a notice.
 * @throws HitlError USAGE if a session specifies an untrusted one.
 */
export async function agreedServers(
  io: Io,
  flags: ConsentFlags,
  mode: Mode,
  { named, leftOut }: { readonly named: readonly NamedServer[]; readonly leftOut: (line: string) => void },
): Promise<readonly McpServer[]> {
  await keepConsent(io, flags, named);
  await askAboutSession(io, flags, mode, named);
  const agreed: McpServer[] = [];
  for (const { server, by } of named)
    if (by !== 'a configuration' || (await isAgreed(io, flags, mode, server))) agreed.push(server);
    else
      leftOut(
        `server \`${server.name}\` skipped: one of its files is in this folder and is not trusted in its current state; review it, then add --trust`,
      );
  return agreed;
}

async function keepConsent(io: Io, flags: ConsentFlags, named: readonly NamedServer[]): Promise<void> {
  const given = named.filter(({ by }) => by === 'a flag');
  if (flags.save !== false && given.length > 0)
    await keepTrust(
      io,
      given.flatMap((one) => contentsOf(io, one)),
    );
}

async function askAboutSession(
  io: Io,
  flags: ConsentFlags,
  mode: Mode,
  named: readonly NamedServer[],
): Promise<void> {
  const asked = named.filter(({ by }) => by === 'a session');
  if (asked.length === 0) return;
  const what = asked.length === 1 ? 'this session’s server' : 'one of this session’s servers';
  const agreed = await isTrusted(io, flags, mode, {
    what,
    files: asked.flatMap((one) => contentsOf(io, one)),
    lines: ['a program that runs with your permissions, or a URL that receives calls'],
    otherwise: 'or specify the servers to use: --mcp <server>',
  });
  if (agreed) return;
  throw new HitlError('USAGE', `${what} is not trusted; nothing was started`, {
    hint: 'hitl answer <id> answers an open question without starting anything',
  });
}

/**
 * Whether a server may start. True if the session cannot change any of the server's files, or if the user
 * trusts them in their current state.
 */
async function isAgreed(io: Io, flags: ConsentFlags, mode: Mode, server: McpServer): Promise<boolean> {
  if (server.type === 'http') return true;
  const files = [...filesHere(io, server), ...unseenOf(server)];
  if (files.length === 0) return true;
  if (flags.trust !== true && !(mode.interactive && io.stdin.isTTY)) return areTrusted(io, files);
  return isTrusted(io, flags, mode, {
    what: `a file used by server \`${server.name}\``,
    files,
    lines: [
      `started with your permissions: ${[server.command, ...server.args].join(' ')}`,
      ...(server.unseen === undefined ? [] : [`${server.unseen.why}, so the files it loads are not checked`]),
    ],
    otherwise: 'or continue without it: --no-trust',
  });
}

/** Returns the server's files in the session's working folder. */
function filesHere(io: Pick<Io, 'cwd' | 'home'>, { kind, files = [] }: McpProgram): readonly FileContent[] {
  const guarded = guardedFolder(io);
  return kind === 'project-server' ? files : files.filter(({ path }) => liesIn(path, guarded));
}

/** Returns the content that the user trusts along with a server, in the form in which trust is saved (W1). */
function contentsOf(io: Pick<Io, 'cwd'>, { server, text }: NamedServer): readonly FileContent[] {
  if (server.type === 'http') return [{ path: `--mcp ${text}`, sha256: digestOf([text]) }];
  const folder = realFolder(io.cwd);
  return [
    { path: `--mcp ${text} (in ${folder})`, sha256: digestOf([server.command, ...server.args, folder]) },
    ...(server.files ?? []),
    ...unseenOf(server),
  ];
}

/**
 * Returns an entry, in the form in which trust is saved, for the files that a server loads but that cannot be
 * checked.
 */
function unseenOf({ name, unseen }: McpProgram): readonly FileContent[] {
  return unseen === undefined ? [] : [unseenContent(serverLabel(name), unseen)];
}

/** Formats a server for use in a sentence. */
export function serverLabel(name: string): string {
  return `the server \`${name}\``;
}

/**
 * Explains that the folder determines which code a package runner executes. Returns an empty string for other
 * programs.
 */
export function answeredByFolder({
  command,
  args,
  cwd,
}: Pick<McpProgram, 'command' | 'args' | 'cwd'>): string {
  if (!runsPackages(command)) return '';
  return `; ${textOfWords([command, ...args.slice(0, 1)])} runs code determined by \`node_modules\`, \`package.json\` and \`.npmrc\` in ${cwd ?? 'its folder'}`;
}

/** Returns the folder that relative paths in a configuration are resolved against. */
export function folderOfFile(path: string, named: string | undefined): string {
  return named === undefined ? dirname(path) : resolve(dirname(path), named);
}
