// Invariants:
// V1 A text of a configuration brings in only variables that `mcpEnv` names: no other part of the environment reaches a
//    server. `HITL_FOLDER`, the working folder, is no secret, and always there.
// V2 What your own configuration names stands nowhere in particular, so a relative word of it names nothing.
import { isAbsolute } from 'node:path';
import type { JsonValue } from '../../src/core/index.js';
import { isJsonArray, isJsonObject, isMcpServerName, membersOf } from '../../src/core/index.js';
import { absoluteWords, followed, FOLDER_VARIABLE, guardedFolder } from '../../src/programs/index.js';
import type { McpServer } from '../../src/tools/mcp/index.js';
import { rangesProblem } from '../../src/outgoing/outgoing-address.js';
import type { Io } from '../host/index.js';
import type { Config } from '../settings/settings.js';
import { lookedAt } from '../trust/unseen.js';
import { folderOfFile, serverLabel } from './consent.js';

/** The MCP servers in a configuration, by name, and one line about each entry that cannot be used. */
export interface ConfiguredServers {
  readonly servers: ReadonlyMap<string, McpServer>;
  readonly problems: readonly string[];
}

const FROM = 'your configuration';

/**
 * Reads `mcpServers`. Entries have the format that other programs also use: `{ "<name>": { "command", "args",
 * "env" } }` or `{ "url", "headers" }`.
 */
export function configuredServers(
  { cwd, env, home }: Pick<Io, 'cwd' | 'env' | 'home'>,
  { mcpServers, mcpEnv = [] }: Pick<Config, 'mcpServers' | 'mcpEnv'>,
): ConfiguredServers {
  const servers = new Map<string, McpServer>();
  const problems: string[] = [];
  const passed = new Map(mcpEnv.map((name) => [name, env[name]] as const)).set(FOLDER_VARIABLE, cwd);
  for (const [name, entry] of Object.entries(membersOf(mcpServers))) {
    try {
      servers.set(
        name,
        serverOf(name, entry, { io: { cwd, env, home }, expand: (text) => expanded(text, passed) }),
      );
    } catch (thrown) {
      if (!(thrown instanceof Unusable)) throw thrown;
      problems.push(`\`mcpServers.${name}\` ignored: ${thrown.message}`);
    }
  }
  return { servers, problems };
}

/** Thrown for an entry that does not define a usable server. */
class Unusable extends Error {}

interface Reading {
  readonly io: Pick<Io, 'cwd' | 'env' | 'home'>;
  readonly expand: (text: string) => string;
}

function serverOf(name: string, entry: JsonValue, { io, expand }: Reading): McpServer {
  if (!isMcpServerName(name)) throw new Unusable('a name has 1 to 32 letters, digits, `-` or single `_`');
  const {
    command,
    args = [],
    env = {},
    url,
    headers = {},
    allow = [],
    timeout,
    cwd: folder,
    from = FROM,
    project,
  } = membersOf(entry);
  const base = {
    name,
    from: typeof from === 'string' ? from : FROM,
    ...(typeof timeout === 'number' && timeout > 0 && { timeoutMs: timeout }),
  };
  if (typeof url === 'string' && command === undefined) {
    const address = expand(url);
    if (!/^https?:\/\//u.test(address) || !URL.canParse(address))
      throw new Unusable('`url` is not a valid URL');
    return {
      ...base,
      type: 'http',
      url: address,
      headers: textsIn('headers', headers, expand),
      allow: rangesIn(allow),
    };
  }
  if (typeof command !== 'string' || command === '') throw new Unusable('missing `command` or `url`');
  if (!Array.isArray(args)) throw new Unusable('`args` must be a list of strings');
  const given = [command, ...args.map((word): unknown => word)].map((word) => {
    if (typeof word !== 'string') throw new Unusable('`args` must be a list of strings');
    return expand(word);
  });
  const named = typeof folder === 'string' ? folder : undefined;
  const place = { cwd: io.cwd, home: io.home };
  const program = { ...base, type: 'stdio', env: textsIn('env', env, expand), place } as const;
  const guarded = guardedFolder(io);
  if (typeof project === 'string') {
    const at = folderOfFile(project, named);
    const [first = '', ...rest] = absoluteWords(given, at);
    const found = followed({ words: [first, ...rest], env: program.env, stands: at, guarded });
    const { files, unseen } = lookedAt(io, serverLabel(name), found);
    return {
      ...{ ...program, command: first, args: rest, cwd: at, kind: 'project-server', files },
      ...(unseen && { unseen }),
    };
  }
  const relative = relativeIn(given, named);
  if (relative !== undefined) throw new Unusable(relative);
  const [first = '', ...rest] = absoluteWords(given, '/');
  const { files, unseen } = lookedAt(
    io,
    serverLabel(name),
    followed({ words: [first, ...rest], env: program.env, guarded }),
  );
  return {
    ...{ ...program, command: first, args: rest, kind: 'mcp-server', files },
    ...(unseen && { unseen }),
    ...(named !== undefined && { cwd: named }),
  };
}

/**
 * Returns an error message if a command in the user's own configuration contains a relative path (V2), and
 * `undefined` otherwise.
 */
function relativeIn(words: readonly string[], folder: string | undefined): string | undefined {
  const absolute = absoluteWords(words, '/');
  const word =
    folder !== undefined && !isAbsolute(folder)
      ? folder
      : words.find((one, index) => !isAbsolute(one) && one !== absolute[index]);
  if (word === undefined) return undefined;
  return `\`${word}\` is a relative path, but servers in your configuration do not start in a project folder: use an absolute path, or \`\${${FOLDER_VARIABLE}}\` for the working folder`;
}

/** Parses addresses and address ranges, in the same format as for notification receivers. */
function rangesIn(value: JsonValue): readonly string[] {
  const ranges = isJsonArray(value) ? value.filter((range) => typeof range === 'string') : undefined;
  const problem = ranges === undefined ? 'must be a list' : rangesProblem(ranges);
  if (ranges === undefined || problem !== undefined) throw new Unusable(`\`allow\`: ${problem ?? ''}`);
  return ranges;
}

function textsIn(
  key: string,
  value: JsonValue,
  expand: (text: string) => string,
): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) throw new Unusable(`\`${key}\` must be an object with string values`);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      if (typeof text !== 'string') throw new Unusable(`\`${key}.${name}\` must be a string`);
      return [name, expand(text)];
    }),
  );
}

/** Expands variables: `${NAME}`, and `${NAME:-default}` (V1). */
function expanded(text: string, passed: ReadonlyMap<string, string | undefined>): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/gu, (_whole, name: string, otherwise?: string) => {
    if (!passed.has(name)) throw new Unusable(`it uses variable \`${name}\`, which is not in \`mcpEnv\``);
    const value = passed.get(name) ?? otherwise;
    if (value === undefined) throw new Unusable(`variable \`${name}\` is not set`);
    return value;
  });
}
