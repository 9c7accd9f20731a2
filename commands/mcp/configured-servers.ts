// Invariants:
// V1 A text of a configuration brings in only variables that `mcpEnv` names: no other part of the environment reaches a server.
import { resolve } from 'node:path';
import type { JsonValue } from '../../src/core/index.js';
import { isJsonArray, isJsonObject, isMcpServerName, membersOf } from '../../src/core/index.js';
import type { McpServer } from '../../src/tools/mcp/index.js';
import { rangesProblem } from '../../src/outgoing/address.js';
import type { Io } from '../host/index.js';
import type { Config } from '../settings/index.js';

/** The servers that a configuration says, by their names, and one line about each that cannot be used. */
export interface ConfiguredServers {
  readonly servers: ReadonlyMap<string, McpServer>;
  readonly problems: readonly string[];
}

const FROM = 'your configuration';

/** Reads `mcpServers`: the form that other programs share, `{ "<name>": { "command", "args", "env" } }` or `{ "url", "headers" }`. */
export function configuredServers(
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
  { mcpServers, mcpEnv = [] }: Pick<Config, 'mcpServers' | 'mcpEnv'>,
): ConfiguredServers {
  const servers = new Map<string, McpServer>();
  const problems: string[] = [];
  const passed = new Map(mcpEnv.map((name) => [name, env[name]] as const));
  for (const [name, entry] of Object.entries(membersOf(mcpServers))) {
    try {
      servers.set(name, serverOf(name, entry, { cwd, expand: (text) => expanded(text, passed) }));
    } catch (thrown) {
      if (!(thrown instanceof Unusable)) throw thrown;
      problems.push(`\`mcpServers.${name}\` is not used: ${thrown.message}`);
    }
  }
  return { servers, problems };
}

/** The reason why an entry makes no server. */
class Unusable extends Error {}

interface Reading {
  readonly cwd: string;
  readonly expand: (text: string) => string;
}

function serverOf(name: string, entry: JsonValue, { cwd, expand }: Reading): McpServer {
  if (!isMcpServerName(name)) throw new Unusable('a name is 1 to 32 letters, digits, `-` or single `_`');
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
  } = membersOf(entry);
  const base = {
    name,
    from: typeof from === 'string' ? from : FROM,
    ...(typeof timeout === 'number' && timeout > 0 && { timeoutMs: timeout }),
  };
  if (typeof url === 'string' && command === undefined) {
    const address = expand(url);
    if (!/^https?:\/\//u.test(address) || !URL.canParse(address)) throw new Unusable('`url` is no address');
    return {
      ...base,
      type: 'http',
      url: address,
      headers: textsIn('headers', headers, expand),
      allow: rangesIn(allow),
    };
  }
  if (typeof command !== 'string' || command === '') throw new Unusable('it has neither `command` nor `url`');
  if (!Array.isArray(args)) throw new Unusable('`args` must be a list of texts');
  return {
    ...base,
    type: 'stdio',
    command: expand(command),
    args: args.map((word) => {
      if (typeof word !== 'string') throw new Unusable('`args` must be a list of texts');
      return expand(word);
    }),
    env: textsIn('env', env, expand),
    cwd: typeof folder === 'string' ? resolve(cwd, folder) : cwd,
  };
}

/** Addresses and ranges, as those of a receiver of questions. */
function rangesIn(value: JsonValue): readonly string[] {
  const ranges = isJsonArray(value) ? value.filter((range) => typeof range === 'string') : undefined;
  const problem = ranges === undefined ? 'it is no list' : rangesProblem(ranges);
  if (ranges === undefined || problem !== undefined) throw new Unusable(`\`allow\`: ${problem ?? ''}`);
  return ranges;
}

function textsIn(
  key: string,
  value: JsonValue,
  expand: (text: string) => string,
): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) throw new Unusable(`\`${key}\` must be an object of texts`);
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      if (typeof text !== 'string') throw new Unusable(`\`${key}.${name}\` must be a text`);
      return [name, expand(text)];
    }),
  );
}

/** Puts variables in: `${NAME}`, and `${NAME:-what else}` (V1). */
function expanded(text: string, passed: ReadonlyMap<string, string | undefined>): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/gu, (_whole, name: string, otherwise?: string) => {
    if (!passed.has(name))
      throw new Unusable(`it wants the variable \`${name}\`, which \`mcpEnv\` does not name`);
    const value = passed.get(name) ?? otherwise;
    if (value === undefined) throw new Unusable(`the variable \`${name}\` is not set`);
    return value;
  });
}
