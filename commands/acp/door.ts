// Invariants:
// A1 The editor is the program that started this one, as its user: what its person chooses counts as that user’s.
// A2 A request that is not of the protocol, of another session or of another folder is refused, and changes nothing.
import type {
  AgentApp,
  AgentCapabilities,
  AgentContext,
  SessionModeState,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { HitlError, isHitlError, modeInWords, SESSION_MODES } from '../../src/core/index.js';
import { rulePlace } from '../config/project-place.js';
import { SLASH_COMMANDS } from '../slash/table.js';
import type { Io } from '../host/index.js';
import { inFolder } from '../host/index.js';
import type { EditorAbilities } from './editor-link.js';
import type { EditorSession } from './editor-session.js';
import { wordsOf } from './editor-session.js';
import { folderOf } from './held.js';
import type { AcpSdk } from '../../src/models/acp/index.js';
import type { EditorSessions } from './sessions.js';

export interface DoorOptions {
  readonly io: Io;
  readonly version: string;
  readonly sessions: EditorSessions;
}

const CAPABILITIES: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: false, sse: false },
  sessionCapabilities: { close: {} },
};

/** Creates the agent that an editor connects to. */
export function editorDoor(sdk: AcpSdk, { io, version, sessions }: DoorOptions): AgentApp {
  let abilities: EditorAbilities = {};
  const told = refusing(sdk);
  const editorOf = (client: AgentContext): { client: AgentContext; abilities: EditorAbilities } => ({
    client,
    abilities,
  });
  return sdk
    .agent({ name: 'hitl' })
    .onRequest('initialize', ({ params }) => {
      abilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: sdk.PROTOCOL_VERSION,
        agentCapabilities: CAPABILITIES,
        authMethods: [],
        agentInfo: { name: 'hitl', title: 'hitl', version },
      };
    })
    .onRequest('session/new', ({ params, client }) =>
      told(async () => {
        checkDirectories(params.additionalDirectories);
        const session = await sessions.begin(params.cwd, editorOf(client));
        session.tellFirst(serverNotices(params.mcpServers));
        const modes = await modesOf(session, io, params.cwd);
        later(() => {
          offerCommands(session);
        });
        return { sessionId: session.id, modes };
      }),
    )
    .onRequest('session/load', ({ params, client }) =>
      told(async () => {
        checkDirectories(params.additionalDirectories);
        const session = await sessions.load(params.sessionId, params.cwd, editorOf(client));
        session.tellFirst(serverNotices(params.mcpServers));
        session.show();
        const modes = await modesOf(session, io, params.cwd);
        later(() => {
          offerCommands(session);
          session.askOpen();
        });
        return { modes };
      }),
    )
    .onRequest('session/prompt', ({ params, signal }) =>
      told(async () => ({
        stopReason: await sessions.get(params.sessionId).prompt(params.prompt, signal),
      })),
    )
    .onRequest('session/set_mode', ({ params }) =>
      told(async () => {
        const mode = SESSION_MODES.find((one) => one === params.modeId);
        if (mode === undefined)
          throw new HitlError('BAD_INPUT', 'unknown mode', {
            hint: `valid modes: ${SESSION_MODES.join(', ')}`,
          });
        await sessions.get(params.sessionId).setMode(mode);
        return {};
      }),
    )
    .onRequest('session/close', ({ params }) =>
      told(async () => {
        await sessions.close(params.sessionId);
        return {};
      }),
    )
    .onNotification('session/cancel', ({ params }) => {
      try {
        sessions.get(params.sessionId).cancel();
      } catch {
        // a session that is not open here has nothing to stop, and a notification has no answer
      }
    });
}

/** Runs a callback once the response to the current request has been sent. */
function later(work: () => void): void {
  setImmediate(work);
}

/** Returns a function that converts hitl's errors to protocol errors. */
function refusing(sdk: AcpSdk): <Value>(work: () => Promise<Value>) => Promise<Value> {
  return async (work) => {
    try {
      return await work();
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
      throw new sdk.RequestError(codeOf(thrown), wordsOf(thrown), { code: thrown.code });
    }
  };
}

const INVALID_PARAMS = -32_602;
const NOT_FOUND = -32_002;
const INTERNAL = -32_603;

function codeOf({ code }: HitlError): number {
  if (code === 'SESSION_NOT_FOUND') return NOT_FOUND;
  return code === 'USAGE' || code === 'BAD_INPUT' ? INVALID_PARAMS : INTERNAL;
}

function checkDirectories(directories: readonly string[] | undefined): void {
  if (directories === undefined || directories.length === 0) return;
  throw new HitlError('BAD_INPUT', 'a session has one folder', { hint: 'leave out additionalDirectories' });
}

/** Returns a notice that the MCP servers specified by the editor are not started, if there are any. */
function serverNotices(servers: readonly { readonly name: string }[]): readonly string[] {
  if (servers.length === 0) return [];
  const names = servers.map(({ name }) => name).join(', ');
  return [`The editor’s MCP servers are not started: ${names}. Add the ones you want with \`hitl mcp add\`.`];
}

async function modesOf(session: EditorSession, io: Io, cwd: string): Promise<SessionModeState> {
  const place = rulePlace(inFolder(io, folderOf(cwd)));
  const modes = await session.modes();
  const availableModes = modes.map((id) => ({
    id,
    name: id,
    description: modeInWords(id, place).replace(/^mode \S+ ?/u, ''),
  }));
  return { currentModeId: session.mode, availableModes };
}

/**
 * Commands that are not available in an editor, because they need a terminal or the editor handles them
 * itself.
 */
const NOT_HERE: readonly string[] = ['help', 'clear', 'quit', 'answer', 'cancel'];

function offerCommands(session: EditorSession): void {
  const availableCommands = SLASH_COMMANDS.filter(({ name }) => !NOT_HERE.includes(name)).map(
    ({ name, help, argument }) => ({
      name,
      description: help,
      ...(argument !== undefined && { input: { hint: argument } }),
    }),
  );
  const update: SessionUpdate = { sessionUpdate: 'available_commands_update', availableCommands };
  session.update([update]);
}
