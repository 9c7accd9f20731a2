import { randomBytes } from 'node:crypto';
import type { RunState } from '../../src/core/index.js';
import { newSessionId } from '../../sessions/index.js';
import type { ChosenModel } from '../agent/choose-model.js';
import { composeAgent } from '../agent/agent.js';
import type { FoundMemory } from '../agent/project-memory.js';
import { providerToolLines } from '../agent/replies/provider-tools.js';
import type { Config } from '../settings/settings.js';
import type { Entrance } from '../seat/first-prompt.js';
import type { Io } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import { attachments } from '../input/attached-files.js';
import { outputForm } from '../input/output-form.js';
import { storeFor } from '../store/store.js';
import { inNewSession } from './new-session.js';
import { runSession } from './run-session.js';

export interface NewChat {
  readonly mode: Mode;
  readonly config: Config;
  readonly chosen: ChosenModel;
  readonly found: FoundMemory;
  /** Text of the first user turn. */
  readonly prompt?: string;
  /** Lines to show first. */
  readonly notices: readonly string[];
  /**
   * The prompt and the signal handling that were set up early, if the user is already at the first prompt.
   */
  readonly entrance?: Entrance;
}

/** Creates a session when the first message arrives, and runs its conversation. */
export async function newChat(
  io: Io,
  flags: RunFlags,
  { config, chosen, found, ...chat }: NewChat,
): Promise<number> {
  const output = await outputForm(io, flags);
  const id = newSessionId(io.clock.now(), (size) => randomBytes(size));
  const store = storeFor(io, flags);
  await using agent = await composeAgent(io, flags, chat.mode, {
    id,
    config,
    chosen,
    found,
    store,
  });
  const { fingerprint } = agent;
  const { parts: attached, notices } = await attachments(io, flags, {
    prompt: chat.prompt,
    model: agent.model.current,
  });
  const made = { id, agent: fingerprint, hasBegun: (state: RunState) => state.turns > 0 };
  return await inNewSession(io, store, made, (session) =>
    runSession(io, flags, {
      ...chat,
      ...(output && { output }),
      attached,
      notices: [
        ...chat.notices,
        ...providerToolLines(fingerprint.providerTools ?? []),
        ...agent.warnings,
        ...notices,
      ],
      store,
      session,
      agent,
    }),
  );
}
