import { messageOf } from '../../src/core/index.js';
import type { SessionStore } from '../../src/core/index.js';
import { detectSandbox } from '../../src/tools/index.js';
import { runProgram } from '../../src/programs/index.js';
import { reachedBy } from '../../src/tools/mcp/index.js';
import type { ChosenModel } from '../agent/choose-model.js';
import { installedAgents } from '../agent/agent-program.js';
import { agentOf, chosenModel } from '../agent/choose-model.js';
import { composeModel } from '../agent/model.js';
import type { Config } from '../settings/settings.js';
import { effectiveFlags } from '../config/effective.js';
import { loadConfig } from '../config/config-file.js';
import { modeOf } from '../flags/mode.js';
import type { Io } from '../host/index.js';
import type { RunFlags } from '../flags/options.js';
import { version } from '../host/index.js';
import { configuredServers } from '../mcp/configured-servers.js';
import { openStore, proofNotice } from '../store/store.js';
import { channelChecks } from '../channels/channel-checks.js';

/** A check and its result. */
export interface Check {
  readonly what: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  readonly hint?: string;
}

/** Checks the installation, the configuration, the model and the store. Never shows a key. */
export async function installationChecks(io: Io, flags: RunFlags): Promise<readonly Check[]> {
  return [
    { what: 'hitl', status: 'ok', found: version() },
    nodeCheck(),
    lockCheck(),
    await sandboxCheck(),
    configCheck(io),
    await modelCheck(io, flags),
    ...agentChecks(io),
    ...(await serverChecks(io, flags)),
    ...(await storeChecks(io, flags)),
  ];
}

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  return {
    what: 'node',
    status: fits ? 'ok' : 'failed',
    found: process.version,
    ...(!fits && { hint: 'install Node 20.19 or newer' }),
  };
}

/** Programs that lock a session through the kernel, in order of preference. */
const LOCKS: readonly Program[] = [
  { program: 'flock', args: ['--version'] },
  { program: 'perl', args: ['-MFcntl=:flock', '-e', '1'] },
];

interface Program {
  readonly program: string;
  readonly args: readonly string[];
}

/** Returns the method that this machine uses to lock sessions. */
export function lockCheck(
  works: (program: Program) => boolean = (program) => runProgram('lock', program).status === 0,
): Check {
  const found = LOCKS.find(works);
  if (found !== undefined)
    return { what: 'lock', status: 'ok', found: found.program === 'flock' ? 'flock(1)' : 'flock(2) by perl' };
  return {
    what: 'lock',
    status: 'warning',
    found: 'none: flock(1) and perl do not work on this machine, so sessions in a folder are read-only',
    hint: 'install util-linux or perl, or keep sessions in PostgreSQL',
  };
}

/** Checks the sandbox. A missing sandbox is not a failure, because commands also run without one. */
async function sandboxCheck(): Promise<Check> {
  const found = await detectSandbox();
  if ('sandbox' in found) return { what: 'sandbox', status: 'ok', found: 'bubblewrap' };
  return {
    what: 'sandbox',
    status: 'warning',
    found: found.why,
    hint: 'without it, an approved command can do anything you can: docs/guides/sandbox.md',
  };
}

function configCheck(io: Io): Check {
  try {
    const { path, exists } = loadConfig(io);
    return { what: 'configuration', status: 'ok', found: exists ? path : `${path} (not found)` };
  } catch (thrown) {
    return { what: 'configuration', status: 'failed', found: messageOf(thrown) };
  }
}

/** Checks the model that a new chat would use. */
async function modelCheck(io: Io, flags: RunFlags): Promise<Check> {
  try {
    const { config } = await effectiveFlags(io, flags);
    const chosen = await chosenModel(io, flags, { config });
    const { spec, notice = spec } = chosen;
    const isDemo = spec === 'demo' && config.model === undefined;
    const isServed = !isDemo && agentOf(chosen, config) === undefined;
    const known = !isServed ? undefined : await knownToServer(io, flags, config, chosen);
    return {
      what: 'model',
      status: isDemo || known === false ? 'warning' : 'ok',
      found: known === undefined ? notice : `${notice}; its server ${known ? 'has it' : 'does not list it'}`,
      ...(known === false && { hint: 'list models: hitl models' }),
    };
  } catch (thrown) {
    return { what: 'model', status: 'failed', found: messageOf(thrown) };
  }
}

/** Lists the installed agents that can be used with `--agent`. */
function agentChecks(io: Io): readonly Check[] {
  const found = installedAgents(io).map(({ name, version: its }) => `${name} ${its}`);
  return found.length === 0 ? [] : [{ what: 'agents', status: 'ok', found: found.join(', ') }];
}

/** Time limit for a server to return its list of models, in milliseconds. */
const LIST_MS = 5_000;

/**
 * Requests the list of models, which is free and also checks the API key and URL. Returns `undefined` if the
 * server has no list.
 */
async function knownToServer(
  io: Io,
  flags: RunFlags,
  config: Config,
  chosen: ChosenModel,
): Promise<boolean | undefined> {
  const model = await composeModel(io, modeOf(io, flags), config, chosen);
  const listed = await model.listModels?.(AbortSignal.timeout(LIST_MS));
  return listed?.some(({ id }) => `anthropic:${id}` === model.id);
}

/** Lists the configured servers without starting them. `hitl mcp test` starts them. */
async function serverChecks(io: Io, flags: RunFlags): Promise<readonly Check[]> {
  try {
    const { config, files } = await effectiveFlags(io, flags);
    const { servers, problems } = configuredServers(io, config);
    const left = files.servers?.problem;
    const broken = [...problems, ...(left === undefined ? [] : [left])];
    return [
      ...[...servers.values()].map((server): Check => ({
        what: `server ${server.name}`,
        status: 'ok',
        found: `${reachedBy(server)} (${server.from}); hitl mcp test ${server.name}`,
      })),
      ...broken.map((found): Check => ({ what: 'servers', status: 'warning', found })),
    ];
  } catch {
    return []; // the configuration does not fit, which is told as that
  }
}

async function storeChecks(io: Io, flags: RunFlags): Promise<readonly Check[]> {
  const store = openStore(io, flags);
  const proof = proofNotice(io, flags, store);
  const keyCheck: readonly Check[] =
    proof === undefined
      ? []
      : [{ what: 'store key', status: 'warning', found: proof, hint: 'hitl store key' }];
  const found = [...keyCheck, ...((await store.capabilities.doctor?.survey()) ?? [])];
  return found.some(({ status }) => status === 'failed')
    ? found
    : [...found, ...(await sendingChecks(io, flags, store))];
}

async function sendingChecks(io: Io, flags: RunFlags, store: SessionStore): Promise<readonly Check[]> {
  const { config } = await effectiveFlags(io, flags).catch(() => ({ config: {} })); // told as the configuration
  return channelChecks(io, config, store);
}
