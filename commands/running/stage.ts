import type { Renderer, RunState, Session } from '../../src/core/index.js';
import { escapeText, messageOf, openInterrupts, shown } from '../../src/core/index.js';
import type { Graph } from '../../src/graph/index.js';
import { flowProgress } from '../../src/graph/index.js';
import type { Theme } from '../../src/render/index.js';
import { eventsOf } from '../../src/repl/index.js';
import { roomOf } from '../agent/room.js';
import { isFromModule } from '../../src/tools/index.js';
import type { Agent } from '../agent/agent.js';
import type { ModelName } from '../agent/model-words.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { personHere, tell } from '../host/index.js';
import { Signals } from '../exit/signals.js';
import { stderrTheme } from '../screen/theme.js';
import { fileOffers } from '../input/attached-files.js';
import type { PersonLine } from '../slash/context.js';
import { BACK, slashOffers } from '../slash/slash.js';
import { checkApprovals, composePeople } from '../seat/people.js';
import { statusBar } from '../seat/status-bar.js';
import type { People } from '../seat/people.js';
import type { Seat } from '../seat/seat.js';
import { askAtOnce } from '../mcp/ask-at-once.js';
import { textOffers } from '../mcp/text-offers.js';
import { flowRows } from './flow-rows.js';
import { composeRenderer } from './renderer.js';
import type { SessionRun } from './session-run.js';
import { takeSeat } from '../seat/seat.js';
import { ownWords } from '../seat/own-words.js';
import { chooseOne } from '../../src/human/seated.js';

/** The time to wait for whoever keeps the messages locked, in milliseconds. */
const SEND_MS = 5_000;

/**
 * The surroundings of a session: who shows it, who answers and speaks in it, and who hears the signals of the process.
 */
export interface Stage extends Disposable {
  readonly renderer: Renderer;
  readonly people: People;
  readonly signals: Signals;
  /** Takes everything off the screen but the prompt; absent where nothing can be drawn. */
  readonly clear?: () => void;
  /** The line of the person; absent where nobody writes in one. */
  readonly line?: PersonLine;
  /** Gives what the person typed and nobody took. */
  readonly unsent: () => readonly string[];
  /** From now on lines are offered to this while a question is put aside; it says whether it took one. */
  readonly beside: (take: (line: string) => boolean) => void;
}

/** Sets the stage of a session, and says what there is to say before it begins. */
export async function openStage(io: Io, flags: RunFlags, given: SessionRun): Promise<Stage> {
  const { mode, session, agent, entrance } = given;
  const { tools, rules, servers, graph } = agent;
  const theme = stderrTheme(io, flags.color);
  const { drainMs } = flags;
  const signals =
    entrance?.signals ??
    new Signals({
      clock: io.clock,
      interactive: mode.interactive,
      ...(drainMs !== undefined && { drainMs }),
    });
  const dispose = (seat: Seat | undefined): void => {
    seat?.device.restore(); // however it ended
    signals[Symbol.dispose]();
  };
  let seat = entrance?.seat;
  try {
    checkApprovals(flags, tools); // before anything is drawn
    const watched = signals.watch({ foreignCode: runsForeignCode(agent) });
    const offered = fileOffers(io);
    const ofServers = textOffers(servers.servers);
    if (seat === undefined && mode.keys !== undefined) {
      const status = statusBar(io, flags, agentOf(session), rules.mode);
      seat = takeSeat(io, { input: mode.keys(), theme, signals, status });
    }
    const bar = seat?.status;
    bar?.follow({
      state: () => session.state,
      contextTokens: () => roomOf(flags, agent.model)?.limit,
      mode: () => rules.mode,
    });
    const takesTurns = graph === undefined && flags.print !== true;
    if (!takesTurns) seat?.composer.closeLine(graph === undefined ? undefined : sender(io, given));
    else
      seat?.composer.offer({
        complete: (line) => [...slashOffers(line), ...offered(line), ...ofServers(line)],
        back: BACK,
      });
    if (seat !== undefined && takesTurns) {
      seat = { ...seat, turns: ownWords(io, seat, signals, agent) };
    }
    const shown = await composeRenderer(io, mode, theme, {
      session: session.id,
      seat,
      spaced: takesTurns,
      isMute: given.output !== undefined,
    });
    if (given.before !== undefined) session.beginWith(given.before);
    const renderer = mode.format === 'stream-json' ? await showingAll(session, shown) : shown;
    const place = { mode, session, tools, rules, ...(seat !== undefined && { seat }) };
    const people = await composePeople(io, flags, place);
    for (const notice of [...given.notices, ...session.notices]) if (!mode.quiet) renderer.notice(notice);
    servers.notices.to((line) => {
      if (!mode.quiet) renderer.notice(line);
    });
    if (mode.interactive)
      servers.present(
        askAtOnce({
          channel: people.channel,
          state: () => session.state,
          now: () => io.clock.now(),
          pause: () => {
            renderer.pause();
          },
        }),
      );
    if (seat !== undefined && graph !== undefined) drawFlow(seat, graph, session, theme);
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
        line: lineOf(taken, io, signals.leave),
      }),
      unsent: () => taken?.composer.unsent ?? [],
      beside: (take) => {
        if (takesTurns) taken?.composer.besideWith(take);
      },
      [Symbol.dispose]: () => {
        dispose(taken);
      },
    };
  } catch (thrown) {
    dispose(seat);
    throw thrown;
  }
}

/** Draws the nodes of a workflow and what happened to them, above what runs. */
function drawFlow({ device: { screen } }: Seat, graph: Graph, session: Session, theme: Theme): void {
  const draw = ({ graph: frame }: RunState): void => {
    screen.setHeader(flowRows(flowProgress(graph, frame), theme, screen.size.columns - 1));
  };
  draw(session.state);
  session.onAppended((_events, state) => {
    draw(state);
  });
}

/** The line of a person, as commands of the prompt use it. */
function lineOf({ device, look, composer }: Seat, { clock }: Io, leave: AbortSignal): PersonLine {
  return {
    choose: async (question) => {
      return await chooseOne({ device, clock, theme: look }, question, leave);
    },
    write: (text) => {
      composer.write(text);
    },
  };
}

/** True where code runs in this process that is not the program's own: of a workflow, or of a module of tools. */
function runsForeignCode({ graph, tools }: Agent): boolean {
  return graph !== undefined || tools.descriptors.some(({ name }) => isFromModule(tools.get(name)));
}

/** Sends what a person enters while a workflow runs to it; nobody does where it has no mail. */
function sender(io: Io, { store, session }: SessionRun): ((text: string) => void) | undefined {
  if (!store.capabilities.shared) return undefined;
  return (text) => {
    const draft = { text, from: personHere(io, 'terminal') };
    store
      .mail(session.id)
      .send(draft, {}, AbortSignal.timeout(SEND_MS))
      .catch((thrown: unknown) => {
        tell(io.stderr, shown`not sent: ${escapeText(text)}: ${escapeText(messageOf(thrown))}`);
      });
  };
}

/**
 * A renderer for a stream of events that leaves no number out: from 1 in a new session, else from where it rested. It
 * shows what the journal tells of, also what nobody asked for, and so nothing a second time. What is open there is told
 * first, so that a program that reads nothing else can answer it.
 */
async function showingAll(session: Session, renderer: Renderer): Promise<Renderer> {
  let made = isNew(session) ? await eventsOf(session) : [];
  session.onAppended((events, state) => {
    for (const { seq, event } of [...made, ...events]) renderer.event(event, seq, state);
    made = [];
  });
  for (const interrupt of openInterrupts(session.state))
    renderer.transient({ type: 'interrupt-open', interrupt });
  return { ...renderer, event: () => undefined };
}

/** The model of a session, as the row under the prompt names it. */
function agentOf({ state: { agent } }: Session): ModelName {
  return { spec: agent?.model ?? '', ...(agent?.server !== undefined && { server: agent.server }) };
}

/** Nothing but its making is in it. */
function isNew({ version, state }: Session): boolean {
  return version <= 2 && state.entries.length === 0;
}
