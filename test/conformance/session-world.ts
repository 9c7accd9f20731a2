import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { withAppend } from '../helpers/with-append.js';
import { createFileStore } from '../../sessions/index.js';
import type {
  HumanChannel,
  Journal,
  Model,
  ModelReply,
  Renderer,
  Session,
  SessionEvent,
  SessionId,
  SessionStore,
  SessionSummary,
  StoredEvent,
  Tool,
} from '../../src/core/index.js';
import { describeTool, textPart } from '../../src/core/index.js';
import type { RunOptions } from '../../src/engine/index.js';
import type { Rest } from '../../src/repl/index.js';
import { converse } from '../../src/repl/index.js';
import { toolSet } from '../../src/tools/index.js';
import { replayModel, STILL, World } from './world.js';

const SILENT: Renderer = {
  event() {},
  transient() {},
  notice() {},
  pause() {},
  stopped() {},
};

/** Sessions on disk, with everything outside the product that a case can look at. */
export class SessionWorld extends World {
  readonly #root = mkdtempSync(path.join(os.tmpdir(), 'hitl-conformance-'));

  /** A store as a new process has one. */
  store(): SessionStore {
    return createFileStore({ root: path.join(this.#root, 'sessions'), clock: STILL, random: randomBytes });
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** A new session in which the user has said `hi`. */
  async begin(tools: readonly Tool[] = []): Promise<SessionId> {
    await using session = await this.store().create({
      agent: { model: 'replay', tools: tools.map(describeTool) },
    });
    await session.append([{ type: 'message-added', message: { role: 'user', content: [textPart('hi')] } }]);
    return session.id;
  }

  runOptions(tools: readonly Tool[], model: Model | readonly ModelReply[]): RunOptions {
    return {
      model: 'id' in model ? model : replayModel(model, this),
      tools: toolSet(tools.map((tool) => this.watch(tool))),
      clock: STILL,
      runId: 'session',
    };
  }

  /** Opens the session as a new process does, and goes on until it rests. */
  async goOn(
    id: SessionId,
    { tools, model, channel }: GoOn,
    around: (session: Session) => Session = (session) => session,
  ): Promise<Rest> {
    await using session = await this.store().open(id, 'write');
    const options = {
      session: around(session),
      run: this.runOptions(tools, model),
      channel,
      renderer: SILENT,
    };
    return await converse(options, this.stop.signal);
  }

  async events(id: SessionId): Promise<readonly SessionEvent[]> {
    await using session = await this.store().open(id, 'read');
    const stored: StoredEvent[] = [];
    for await (const event of session.events()) stored.push(event);
    return stored.map(({ event }) => event);
  }

  async summary(id: SessionId): Promise<SessionSummary> {
    for await (const summary of this.store().list()) if (summary.id === id) return summary;
    throw new Error(`session ${id} is not in the list`);
  }
}

export interface GoOn {
  readonly tools: readonly Tool[];
  readonly model: Model | readonly ModelReply[];
  readonly channel: HumanChannel;
}

/** The session with another journal under it. */
export function withJournal(session: Session, journal: Journal): Session {
  return withAppend(session, (events) => journal.append(events));
}
