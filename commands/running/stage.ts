import type { Renderer, RunState, Session } from '../../src/core/index.js';
import { escapeText, messageOf, openInterrupts, shown } from '../../src/core/index.js';
import type { Graph } from '../../src/graph/index.js';
import { flowProgress } from '../../src/graph/index.js';
import type { Offers } from '../../src/human/index.js';
import type { Theme } from '../../src/render/index.js';
import { eventsOf } from '../../src/repl/index.js';
import { roomOf } from '../agent/room.js';
import { isFromModule } from '../../src/tools/index.js';
import type { Agent } from '../agent/agent.js';
import type { ModelName } from '../agent/model-words.js';
import type { Mode } from '../flags/mode.js';
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
  const { tools, rules, graph } = agent;
  const theme = stderrTheme(io, flags.color);
  const takesTurns = graph === undefined && flags.print !== true;
  const signals = entrance?.signals ?? signalsOf(io, flags, mode);
  let seat = entrance?.seat;
  const dispose = (): void => {
    seat?.device.restore(); // however it ended
    signals[Symbol.dispose]();
  };
  try {
    checkApprovals(flags, tools); // before anything is drawn
    const watched = signals.watch({ foreignCode: runsForeignCode(agent) });
    const offers = offersOf(io, agent);
    seat ??= takenSeat(io, flags, given, { theme, signals });
    seat?.steps.follow(() => session.state);
    seat?.status?.follow({
      state: () => session.state,
      contextTokens: () => roomOf(flags, agent.model)?.limit,
      mode: () => rules.mode,
    });
    if (takesTurns) seat?.composer.offer({ complete: offers, back: BACK });
    else seat?.composer.closeLine(graph === undefined ? undefined : sender(io, given));
    if (takesTurns && seat !== undefined) seat = { ...seat, turns: ownWords(io, seat, signals, agent) };
    const renderer = await rendererFor(io, given, theme, { seat, spaced: takesTurns });
    const place = { mode, session, tools, rules, ...(seat !== undefined && { seat }) };
    const people = await composePeople(io, flags, place);
    tellNotices(given, renderer);
    if (mode.interactive) presentServers(io, given, renderer, people);
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
      [Symbol.dispose]: dispose,
    };
  } catch (thrown) {
    dispose();
    throw thrown;
  }
}

/** Hears the signals of the process. */
function signalsOf(io: Io, { drainMs }: RunFlags, { interactive }: Mode): Signals {
  return new Signals({ clock: io.clock, interactive, ...(drainMs !== undefined && { drainMs }) });
}

/** Completes lines of a person: slash commands, files, and texts of servers. */
function offersOf(io: Io, { servers: { servers } }: Agent): Offers['complete'] {
  const ofFiles = fileOffers(io);
  const ofServers = textOffers(servers);
  return (line) => [...slashOffers(line), ...ofFiles(line), ...ofServers(line)];
}

/** Takes the seat at the terminal, if keys come from there. */
function takenSeat(
  io: Io,
  flags: RunFlags,
  { mode, session, agent: { rules } }: SessionRun,
  { theme, signals }: { readonly theme: Theme; readonly signals: Signals },
): Seat | undefined {
  if (mode.keys === undefined) return undefined;
  const status = statusBar(io, flags, agentOf(session), rules.mode);
  return takeSeat(io, { input: mode.keys(), theme, signals, status });
}

/** Shows the session, from its first event of this run on. */
async function rendererFor(
  io: Io,
  { mode, session, output, before }: SessionRun,
  theme: Theme,
  { seat, spaced }: { readonly seat: Seat | undefined; readonly spaced: boolean },
): Promise<Renderer> {
  const place = { session: session.id, seat, spaced, isMute: output !== undefined };
  const shown = composeRenderer(io, mode, theme, place);
  if (before !== undefined) session.beginWith(before);
  return mode.format === 'stream-json' ? await showingAll(session, shown) : shown;
}

/** Says what is to be said before the session begins, and later what its servers say. */
function tellNotices({ mode, session, notices, agent: { servers } }: SessionRun, renderer: Renderer): void {
  if (!mode.quiet) for (const notice of [...notices, ...session.notices]) renderer.notice(notice);
  servers.notices.to((line) => {
    if (!mode.quiet) renderer.notice(line);
  });
}

/** Lets servers of tools ask the person at once. */
function presentServers(
  io: Io,
  { session, agent: { servers } }: SessionRun,
  renderer: Renderer,
  { channel }: People,
): void {
  servers.present(
    askAtOnce({
      channel,
      state: () => session.state,
      now: () => io.clock.now(),
      pause: () => {
        renderer.pause();
      },
    }),
  );
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
