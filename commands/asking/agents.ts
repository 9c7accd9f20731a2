// The agents that ask by hooks: what each one sends, and what it understands. An agent, a tool of an agent and an event
// are a row each.
import type { JsonObject, JsonValue } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import type { Look } from './looks.js';
import { commandLook, editLook, manyEditsLook, patchLook, pathLook, urlLook, writeLook } from './looks.js';

/** Supported agents with hooks. */
export const AGENTS = ['claude-code', 'codex'] as const;
export type AgentName = (typeof AGENTS)[number];

/**
 * Hook events for a call. One fires before the call runs, the other when the agent is about to ask its own
 * user.
 */
export const EVENTS = ['PreToolUse', 'PermissionRequest'] as const;
export type EventName = (typeof EVENTS)[number];

/** A call that an agent is about to make, as its hook reports it. */
export interface HookEvent {
  readonly agent: AgentName;
  readonly event: EventName;
  readonly session: string;
  /** Id of the call; absent in events that do not identify one. */
  readonly call?: string;
  /** Absolute. */
  readonly folder: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** The agent's permission mode, by the agent's own name for it. */
  readonly mode: string;
}

/** A reply to the agent. `none`: no reply, so the agent decides as it would without a hook. */
export type HookWord =
  | { readonly type: 'none' }
  | { readonly type: 'allow'; readonly why: string; readonly input?: JsonValue }
  | { readonly type: 'deny'; readonly why: string }
  /** The agent must ask its own user. */
  | { readonly type: 'ask'; readonly why: string }
  /** The agent's run ends, and the call stays pending. */
  | { readonly type: 'defer'; readonly why: string };

/** What happens if no one answers in time. */
export type Unanswered = 'own-dialog' | 'defer' | 'deny';

export interface Agent {
  /** How to interpret calls to each tool. Calls to other tools are shown unchanged. */
  readonly looks: Readonly<Record<string, Look>>;
  /** Whether the reply to an event may change the call's input. */
  readonly takesEdit: (event: EventName) => boolean;
  /** Whether a hook that runs before a call can make the agent ask its own user. */
  readonly takesAsk: boolean;
  /** What happens if no one answers. */
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

/** Whether Claude Code runs without a terminal, either as `claude -p` or through its SDK. */
function isPrinting(entrypoint = ''): boolean {
  return entrypoint.startsWith('sdk');
}
