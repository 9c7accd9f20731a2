// Invariants:
// O1 A session that is named is one of ours, of the folder that is named with it, and open in this editor alone.
// O2 An editor has so many sessions open, and so many that are being opened, and no more.
import type { AgentContext } from '@agentclientprotocol/sdk';

import { HitlError, isSessionId } from '../../src/core/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { inFolder } from '../host/index.js';
import type { EditorAbilities } from './editor-link.js';
import type { EditorPlace } from './editor-session.js';
import { EditorSession } from './editor-session.js';
import type { Held } from './held.js';
import { folderOf, inNew, inOld } from './held.js';
import { ToldLines } from './told-lines.js';

/** Maximum number of open sessions per editor. */
const MOST_OPEN = 64;

/** The sessions that an editor has open. */
export class EditorSessions {
  readonly #io: Io;
  readonly #flags: RunFlags;
  readonly #signals: EditorPlace['signals'];
  readonly #open = new Map<
    string,
    { readonly session: EditorSession; readonly folder: string; end(): void }
  >();
  readonly #lives = new Set<Promise<void>>();

  constructor(io: Io, flags: RunFlags, signals: EditorPlace['signals']) {
    this.#io = io;
    this.#flags = flags;
    this.#signals = signals;
  }

  /** Creates a session in a folder. */
  begin(cwd: string, editor: Editor): Promise<EditorSession> {
    return this.#live(cwd, editor, (io, work) => inNew(io, this.#flags, work));
  }

  /** Opens an existing session. @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, USAGE */
  async load(id: string, cwd: string, editor: Editor): Promise<EditorSession> {
    if (!isSessionId(id)) throw notFound();
    const known = this.#open.get(id);
    if (known === undefined) return this.#live(cwd, editor, (io, work) => inOld(io, this.#flags, id, work));
    if (known.folder !== folderOf(cwd))
      throw new HitlError('USAGE', `session ${id} does not belong to this folder`, {
        hint: 'open the session’s own folder',
      });
    return known.session;
  }

  /** Returns an open session (O1). @throws HitlError SESSION_NOT_FOUND */
  get(id: string): EditorSession {
    const known = this.#open.get(id);
    if (known === undefined) throw notFound();
    return known.session;
  }

  /** Ends one session. */
  async close(id: string): Promise<void> {
    const known = this.#open.get(id);
    if (known === undefined) throw notFound();
    this.#open.delete(id);
    await known.session.close();
    known.end();
  }

  /** Closes all sessions, and waits until they are released. */
  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#open.keys()].map((id) => this.close(id)));
    await Promise.allSettled(this.#lives);
  }

  /** Opens a session, which stays open until it is closed explicitly. */
  #live(
    cwd: string,
    { client, abilities }: Editor,
    hold: (io: Io, work: (held: Held) => Promise<void>) => Promise<void>,
  ): Promise<EditorSession> {
    if (this.#lives.size >= MOST_OPEN) throw tooMany(); // O2
    const folder = folderOf(cwd);
    const told = new ToldLines();
    const io = told.in(inFolder(this.#io, folder));
    return new Promise<EditorSession>((resolve, reject) => {
      const life = hold(io, async (held) => {
        const session = await EditorSession.open(held, { client, abilities, signals: this.#signals, told });
        const ended = new Promise<void>((end) => {
          this.#open.set(session.id, { session, folder, end });
        });
        resolve(session);
        await ended;
      });
      const over = life.catch(reject).finally(() => {
        this.#lives.delete(over);
      });
      this.#lives.add(over);
    });
  }
}

/** The connected editor. */
export interface Editor {
  readonly client: AgentContext;
  readonly abilities: EditorAbilities;
}

function notFound(): HitlError {
  return new HitlError('SESSION_NOT_FOUND', 'no such session is open', {
    hint: 'start one, or load one from this folder',
  });
}

function tooMany(): HitlError {
  return new HitlError('USAGE', `more than ${MOST_OPEN} sessions are open`, { hint: 'close one first' });
}
