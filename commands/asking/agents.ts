// The agents that ask by hooks: what each one sends, and what it understands. An agent, a tool of an agent and an event
// are a row each.
import type { JsonObject, JsonValue } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import type { Look } from './looks.js';
import { commandLook, editLook, manyEditsLook, patchLook, pathLook, urlLook, writeLook } from './looks.js';

/** The agents with hooks that are known here. */
export const AGENTS = ['claude-code', 'codex'] as const;
export type AgentName = (typeof AGENTS)[number];

/** The events about a call: before it runs, and where the agent would ask its own user. */
export const EVENTS = ['PreToolUse', 'PermissionRequest'] as const;
export type EventName = (typeof EVENTS)[number];

/** A call that an agent is about to make, as its hook tells. */
export interface HookEvent {
  readonly agent: AgentName;
  readonly event: EventName;
  readonly session: string;
  /** Absent in events that name no call. */
  readonly call?: string;
  /** Absolute. */
  readonly folder: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** The agent's own mode, in its words. */
  readonly mode: string;
}

/** What an agent hears; `none`: nothing, so it decides as it would without a hook. */
export type HookWord =
  | { readonly type: 'none' }
  | { readonly type: 'allow'; readonly why: string; readonly input?: JsonValue }
  | { readonly type: 'deny'; readonly why: string }
  /** The agent must ask its own user. */
  | { readonly type: 'ask'; readonly why: string }
  /** The run ends, and the call waits. */
  | { readonly type: 'defer'; readonly why: string };

/** Where nobody answered in time. */
export type Unanswered = 'own-dialog' | 'defer' | 'deny';

export interface Agent {
  /** How its tools are looked at; what has no row is shown as it is. */
  readonly looks: Readonly<Record<string, Look>>;
  /** Whether an event takes another input than the one that it told of. */
  readonly takesEdit: (event: EventName) => boolean;
  /** Whether a hook before a call can have its own user asked. */
  readonly takesAsk: boolean;
  /** What follows where nobody answered. */
  readonly unanswered: (event: HookEvent, io: Pick<Io, 'env'>) => Unanswered;
}

const CLAUDE_TOOLS = {
  Bash: commandLook(['description', 'timeout', 'run_in_background']),
  Edit: editLook,
  MultiEdit: manyEditsLook,
  Write: writeLook,
  Read: pathLook,
  WebFetch: urlLook,
};

export const AGENT_ROWS: Readonly<Record<AgentName, Agent>> = {
  'claude-code': {
    looks: CLAUDE_TOOLS,
    takesEdit: () => true,
    takesAsk: true,
    unanswered: ({ event }, { env }) =>
      event === 'PreToolUse' && isPrinting(env['CLAUDE_CODE_ENTRYPOINT']) ? 'defer' : 'own-dialog',
  },
  codex: {
    looks: { Bash: commandLook([]), apply_patch: patchLook },
    takesEdit: (event) => event === 'PreToolUse',
    takesAsk: false,
    // With its approval policy `never`, as always in `codex exec`, it asks nobody and can wait for nobody.
    unanswered: ({ event, mode }) =>
      event === 'PreToolUse' && mode === 'bypassPermissions' ? 'deny' : 'own-dialog',
  },
};

/** Claude Code without a terminal: `claude -p`, and programs that run it. */
function isPrinting(entrypoint = ''): boolean {
  return entrypoint.startsWith('sdk');
}
