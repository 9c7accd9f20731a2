import type { Renderer, Session } from '../../src/core/index.js';
import type { ModelName } from '../agent/index.js';
import type { RunFlags } from '../flags/index.js';
import type { Io } from '../host/index.js';
import { Signals, stderrTheme } from '../host/index.js';
import { eventsOf } from '../store/index.js';
import type { People } from './people.js';
import { checkApprovals, composePeople } from './people.js';
import { composeRenderer } from './renderer.js';
import type { Seat } from './seat.js';
import { seatFor } from './seat.js';
import type { SessionRun } from './session-run.js';
import { statusBar } from './status-bar.js';

/** Who shows a session, who answers and speaks in it, and who hears the signals of the process. */
export interface Stage extends Disposable {
  readonly renderer: Renderer;
  readonly people: People;
  readonly signals: Signals;
  /** Takes everything off the screen but the prompt; absent where nothing can be drawn. */
  readonly clear?: () => void;
}

/** Sets the stage of a session, and says what there is to say before it begins. */
export async function openStage(io: Io, flags: RunFlags, given: SessionRun): Promise<Stage> {
  const { mode, session, tools, entrance } = given;
  const theme = stderrTheme(io, flags.color);
  const signals = entrance?.signals ?? new Signals({ clock: io.clock, interactive: mode.interactive });
  const dispose = (seat: Seat | undefined): void => {
    seat?.device.restore(); // however it ended
    signals[Symbol.dispose]();
  };
  let seat = entrance?.seat;
  try {
    checkApprovals(flags, tools); // before anything is drawn
    const watched = signals.watch();
    seat ??= seatFor(io, mode, { theme, signals, status: statusBar(io, flags, agentOf(session)) });
    const bar = seat?.status;
    bar?.follow({ state: () => session.state, contextTokens: () => given.model.current.contextTokens });
    const takesTurns = given.flow === undefined && flags.print !== true;
    if (!takesTurns) seat?.composer.closeLine();
    const shown = composeRenderer(io, mode, theme, { session: session.id, seat });
    if (given.before !== undefined) session.beginWith(given.before);
    const renderer = mode.format === 'stream-json' ? await showingAll(session, shown) : shown;
    const place = { mode, theme, session, tools, ...(seat !== undefined && { seat }) };
    const people = await composePeople(io, flags, place);
    for (const notice of [...given.notices, ...session.notices]) if (!mode.quiet) renderer.notice(notice);
    const taken = seat;
    await watched; // nothing of the session runs before signals end even a frozen program
    return {
      renderer,
      people,
      signals,
      ...(taken !== undefined && {
        clear: () => {
          taken.device.screen.clearAll();
        },
      }),
      [Symbol.dispose]: () => {
        dispose(taken);
      },
    };
  } catch (thrown) {
    dispose(seat);
    throw thrown;
  }
}

/**
 * A renderer for a stream of events that leaves no number out: from 1 in a new session, else from where it rested. It
 * shows what the journal tells of, also what nobody asked for, and so nothing a second time.
 */
async function showingAll(session: Session, renderer: Renderer): Promise<Renderer> {
  let made = isNew(session) ? await eventsOf(session) : [];
  session.onAppended((events, state) => {
    for (const { seq, event } of [...made, ...events]) renderer.event(event, seq, state);
    made = [];
  });
  return {
    event: () => undefined,
    transient: (event) => {
      renderer.transient(event);
    },
    notice: (text) => {
      renderer.notice(text);
    },
    pause: () => {
      renderer.pause();
    },
    stopped: (state) => {
      renderer.stopped(state);
    },
  };
}

/** The model of a session, as the row under the prompt names it. */
function agentOf({ state: { agent } }: Session): ModelName {
  return { spec: agent?.model ?? '', ...(agent?.server !== undefined && { server: agent.server }) };
}

/** Nothing but its making is in it. */
function isNew({ version, state }: Session): boolean {
  return version <= 2 && state.entries.length === 0;
}
