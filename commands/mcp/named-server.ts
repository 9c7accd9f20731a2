import { HitlError, isMcpServerName, nearNames, meantHint } from '../../src/core/index.js';
import { absoluteWords, followed, guardedFolder } from '../../src/programs/index.js';
import type { McpServer } from '../../src/tools/mcp/index.js';
import type { TrustPlace } from '../trust/trust-store.js';
import { lookedAt } from '../trust/unseen.js';
import { commandWords } from './command-words.js';
import { serverLabel } from './consent.js';

/** Programs that start another program. The name of the other program describes a server better. */
const STARTERS = new Set([
  'npx',
  'bunx',
  'uvx',
  'pipx',
  'run',
  'exec',
  'dlx',
  'pnpm',
  'yarn',
  'npm',
  'node',
  'deno',
  'bun',
  'python',
  'python3',
  'docker',
  'env',
  'tsx',
]);

/** Configured servers, and the folders used to resolve a new one. */
export interface NamedPlace {
  readonly known: ReadonlyMap<string, McpServer>;
  readonly cwd: string;
  readonly home: string;
  readonly env: TrustPlace['env'];
  /** Folder that relative paths are resolved against. Default: the working folder. */
  readonly began?: string;
}

/**
 * Parses `--mcp`: the name of a configured server, a URL, or a command. Relative paths in a command are
 * resolved when it is parsed, and the contents of its files are read.
 * @throws HitlError USAGE for anything else.
 */
export function namedServer(text: string, { known, cwd, home, env, began = cwd }: NamedPlace): McpServer {
  const configured = known.get(text);
  if (configured !== undefined) return configured;
  if (/^https?:\/\//u.test(text) && URL.canParse(text))
    return { type: 'http', name: nameOf([new URL(text).hostname]), from: '--mcp', url: text, headers: {} };
  const [command, ...args] = absoluteWords(commandWords(text), began);
  if (command === undefined) throw new HitlError('USAGE', '`--mcp` requires a server');
  if (args.length === 0 && known.size > 0 && !command.includes('/')) {
    const near = nearNames(command, known.keys());
    if (near.length > 0)
      throw new HitlError('USAGE', `unknown server \`${command}\``, {
        hint: meantHint(near, `valid servers: ${[...known.keys()].join(', ')}`),
      });
  }
  const name = nameOf([command, ...args]);
  const words = followed({ words: [command, ...args], guarded: guardedFolder({ cwd, home }) });
  const { files, unseen } = lookedAt({ home, env }, serverLabel(name), words);
  return {
    ...{ type: 'stdio', name, from: '--mcp', command, args, env: {} },
    ...{ kind: 'mcp-server', place: { cwd, home }, files },
    ...(unseen && { unseen }),
  };
}

/**
 * Derives a short name from a command: `npx -y @modelcontextprotocol/server-everything` becomes `everything`.
 */
function nameOf(words: readonly string[]): string {
  const telling = words.find((word, index) => {
    const base = baseOf(word);
    return !word.startsWith('-') && !STARTERS.has(base) && (index === 0 || base !== '');
  });
  const name = baseOf(telling ?? words[0] ?? '')
    .replace(/^(?:mcp-)?server-|^mcp-|(?:-mcp)?-server$|-mcp$/gu, '')
    .replaceAll(/[^a-zA-Z0-9-]+/gu, '-')
    .replaceAll(/^-+|-+$/gu, '')
    .slice(0, 32);
  return isMcpServerName(name) ? name : 'server';
}

/** Parts of a path that say nothing about a server. */
const DULL = new Set(['index', 'main', 'dist', 'build', 'src', 'lib', 'bin', 'cli', '']);

/** Returns the last meaningful part of a path or package name, without its version and extension. */
function baseOf(word: string): string {
  const parts = word
    .split('/')
    .map((part) => part.replace(/(.)@[^@]*$/u, '$1').replace(/\.(?:js|mjs|cjs|ts|mts|py)$/u, ''));
  return parts.findLast((part) => !DULL.has(part)) ?? '';
}

/** Makes server names unique by adding numbers. */
export function withOwnNames(servers: readonly McpServer[]): readonly McpServer[] {
  const taken = new Set<string>();
  return servers.map((server) => {
    let { name } = server;
    for (let n = 2; taken.has(name); n += 1) name = `${server.name.slice(0, 28)}-${n}`;
    taken.add(name);
    return { ...server, name };
  });
}
