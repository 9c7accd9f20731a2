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

/** How long a user who has sent a message waits for servers, in milliseconds; a script waits longer. */
const PERSON_WAITS_MS = 8_000;
const SCRIPT_WAITS_MS = 30_000;

/** Lines about servers, kept until there is a listener. */
export class ServerNotices {
  #lines: string[] = [];
  #listener: ((line: string) => void) | undefined;

  say(line: string): void {
    if (this.#listener === undefined) this.#lines.push(line);
    else this.#listener(line);
  }

  /** Sends lines to `listener`, starting with buffered ones. */
  to(listener: (line: string) => void): void {
    this.#listener = listener;
    for (const line of this.#lines.splice(0)) listener(line);
  }
}

/** The started servers of a run, and their lines. */
export interface RunServers extends AsyncDisposable {
  readonly servers: McpServers;
  /** In the form of `--mcp`. */
  readonly named: readonly string[];
  readonly notices: ServerNotices;
  /** Explains, for each declined server, why it was not started. */
  readonly leftOut: readonly string[];
  /** Registers the user, who is then asked what a server requests during a call. */
  present(ask: AskPerson): void;
  /** Asks the user; throws if none is present. */
  readonly ask: AskPerson;
  /** Waits briefly until they are connected. */
  settled(): Promise<void>;
}

/** The servers that a run wants. */
export interface WantedServers {
  /** In the form of `--mcp`. */
  readonly flag?: readonly string[] | undefined;
  /** The session's servers, replaced by a flag; without either, the configuration's. */
  readonly session?: readonly string[] | undefined;
  /** Folder in which the session started: base of its relative paths. */
  readonly began?: string | undefined;
  readonly config: Config;
  /** Allows unencrypted keys to other machines. Default: the configuration's value. */
  readonly allowHttp?: boolean | undefined;
  /** The session continues: left-out tools were reported at its start. Default: false. */
  readonly goesOn?: boolean;
}

/**
 * Starts the requested servers that the user agreed to. Their tools appear once connected.
 * @throws HitlError USAGE if a session names an untrusted one.
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

/** Returns the servers of a flag, else of the session, else of the configuration. */
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

/** Prints the current notices about servers, for a command without a screen. */
export function tellNotices(io: Io, { notices }: Pick<RunServers, 'notices'>): void {
  notices.to((line) => {
    tell(io.stderr, escapeText(line));
  });
}
