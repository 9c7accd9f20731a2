import { escapeText, HitlError } from '../../src/core/index.js';
import type { Config } from '../settings/settings.js';
import type { AskPerson } from '../../src/tools/mcp/index.js';
import { McpServers } from '../../src/tools/mcp/index.js';
import type { Mode } from '../flags/mode.js';
import { textOfWords } from './command-words.js';
import type { Io } from '../host/index.js';
import { tell, version } from '../host/index.js';
import { configuredServers } from './configured-servers.js';
import type { ConsentFlags, NamedServer } from './consent.js';
import { agreedServers } from './consent.js';
import { keptLogins } from './kept-logins.js';
import type { NamedPlace } from './named-server.js';
import { namedServer, withOwnNames } from './named-server.js';

/** How long the first message waits for servers to connect, in milliseconds. In a script, it waits longer. */
const PERSON_WAITS_MS = 8_000;
const SCRIPT_WAITS_MS = 30_000;

/** Collects notices about servers. Buffers them until a listener is set. */
export class ServerNotices {
  #lines: string[] = [];
  #listener: ((line: string) => void) | undefined;

  say(line: string): void {
    if (this.#listener === undefined) this.#lines.push(line);
    else this.#listener(line);
  }

  /** Sets the listener, and sends it the buffered lines first. */
  to(listener: (line: string) => void): void {
    this.#listener = listener;
    for (const line of this.#lines.splice(0)) listener(line);
  }
}

/** The servers that a run started, and their notices. */
export interface RunServers extends AsyncDisposable {
  readonly servers: McpServers;
  /** Servers in the format of `--mcp`. */
  readonly named: readonly string[];
  readonly notices: ServerNotices;
  /** Reasons that servers were not started because the user does not trust them, one per server. */
  readonly leftOut: readonly string[];
  /** Sets the function that asks the user when a server requests something during a call. */
  present(ask: AskPerson): void;
  /** Asks the user. Rejects if no user is present. */
  readonly ask: AskPerson;
  /** Waits a limited time for the servers to connect. */
  settled(): Promise<void>;
}

/** The servers that a run requests. */
export interface WantedServers {
  /** Servers from the flag, in the format of `--mcp`. */
  readonly flag?: readonly string[] | undefined;
  /**
   * Servers saved in the session, used if there is no flag. If there are none either, the configured servers
   * are used.
   */
  readonly session?: readonly string[] | undefined;
  /** The folder in which the session started. Relative paths in the session are resolved against it. */
  readonly began?: string | undefined;
  readonly config: Config;
  /** Whether to send keys unencrypted to other machines. Default: the configuration's value. */
  readonly allowHttp?: boolean | undefined;
  /**
   * Whether an existing session is being continued. If so, tools that were left out are not reported again.
   * Default: false.
   */
  readonly goesOn?: boolean;
}

/**
 * Starts the requested servers that the user has approved. A server's tools become available once it is
 * connected.
 * @throws HitlError USAGE if a session specifies an untrusted one.
 */
export async function startServers(
  io: Io,
  flags: ConsentFlags,
  mode: Mode,
  { config, allowHttp = config.allowHttp, goesOn = false, ...wanted }: WantedServers,
): Promise<RunServers> {
  const { servers: known, problems } = configuredServers(io, config);
  const notices = new ServerNotices();
  const all = namedServers(io, known, wanted);
  const leftOut: string[] = [];
  const agreed = await agreedServers(io, flags, mode, {
    named: all,
    leftOut(line) {
      leftOut.push(line);
      notices.say(line);
    },
  });
  const isNamed = (wanted.flag ?? wanted.session ?? []).length > 0;
  const named = isNamed ? all.map(({ text }) => text) : [];
  let asking: AskPerson = () => Promise.reject(new HitlError('ABORTED', 'no one is at the terminal'));
  const servers = new McpServers(withOwnNames(agreed), {
    version: version(),
    clock: io.clock,
    root: io.cwd,
    logins: keptLogins(io),
    ...(allowHttp !== undefined && { allowHttp }),
    tellsLeftOut: !goesOn || mode.verbose,
    notice: (_server, line) => {
      notices.say(line);
    },
    ask: (asked, signal) => asking(asked, signal),
    logged: ({ name }, line) => {
      if (mode.verbose) notices.say(`${name}: ${line}`);
    },
  });
  for (const problem of problems) notices.say(problem);
  servers.start();
  return {
    servers,
    named,
    notices,
    leftOut,
    present(ask) {
      asking = ask;
    },
    ask: (asked, signal) => asking(asked, signal),
    settled: () => servers.settled(mode.interactive ? PERSON_WAITS_MS : SCRIPT_WAITS_MS),
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}

/** Returns the servers from the flag, otherwise from the session, otherwise from the configuration. */
function namedServers(
  io: Io,
  known: NamedPlace['known'],
  { flag, session = [], began }: Omit<WantedServers, 'config'>,
): readonly NamedServer[] {
  const texts = flag ?? session;
  if (texts.length === 0)
    return [...known.values()].map((server) => ({ server, by: 'a configuration', text: server.name }));
  const by = flag === undefined ? 'a session' : 'a flag';
  const place = {
    known,
    cwd: io.cwd,
    home: io.home,
    env: io.env,
    ...(flag === undefined && began !== undefined && { began }),
  };
  return texts.map((text) => {
    const server = namedServer(text, place);
    // A session of ours that names one of a configuration means whatever has that name here: its own law holds.
    if (known.has(text)) return { server, by: 'a configuration', text };
    return {
      server,
      by,
      text: server.type === 'http' ? text : textOfWords([server.command, ...server.args]),
    };
  });
}

/** Prints notices about servers to stderr, for commands that do not draw a screen. */
export function tellNotices(io: Io, { notices }: Pick<RunServers, 'notices'>): void {
  notices.to((line) => {
    tell(io.stderr, escapeText(line));
  });
}
