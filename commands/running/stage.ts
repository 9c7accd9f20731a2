import type { Renderer, RunState, Session } from '../../src/core/index.js';
import { escapeText, messageOf, Mutex, openInterrupts, shown } from '../../src/core/index.js';
import type { Graph } from '../../src/graph/index.js';
import { flowProgress } from '../../src/graph/index.js';
import type { Offers } from '../../src/human/index.js';
import type { Theme } from '../../src/render/index.js';
import { eventsOf } from '../../src/repl/index.js';
import { ReviewCount } from '../report/review-count.js';
import { roomOf } from '../agent/room.js';
import { isFromModule } from '../../src/tools/index.js';
import type { Agent } from '../agent/agent.js';
import { changeMode } from '../agent/change-mode.js';
import { nextMode } from '../agent/mode-for.js';
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

/** How long to wait for the lock on the message queue, in milliseconds. */
const SEND_MS = 5_000;

/** The environment that a session runs in: its renderer, people, and signal handling. */
export interface Stage extends Disposable {
  readonly renderer: Renderer;
  readonly people: People;
  readonly signals: Pick<Signals, 'leave' | 'beginWork' | 'status'>;
  /** Clears the screen except for the prompt; absent if nothing can be drawn. */
  readonly clear?: () => void;
  /** The user's input line, if there is one. */
  readonly line?: PersonLine;
  /** Rereads the user's review mark; absent if no count is shown. */
  readonly looked?: () => Promise<void>;
  /** Returns lines that were typed but not delivered. */
  readonly unsent: () => readonly string[];
  /**
   * Sets the handler for lines that the user enters while a question is postponed. The handler returns
   * whether it used the line.
   */
  readonly beside: (take: (line: string) => boolean) => void;
}

/** Sets up the environment for running a session, and shows its notices. */
export async function openStage(io: Io, flags: RunFlags, given: SessionRun): Promise<Stage> {
  const { mode, session, agent, entrance } = given;
  const { tools, rules, graph } = agent;
  const theme = stderrTheme(io, flags.color);
  const takesTurns = graph === undefined && flags.print !== true;
  const signals = entrance?.signals ?? signalsOf(io, flags, mode);
  let seat = entrance?.seat;
  let toReview: ReviewCount | undefined;
  const dispose = (): void => {
    toReview?.[Symbol.dispose]();
    seat?.device.restore(); // however it ended
    signals[Symbol.dispose]();
  };
  try {
    checkApprovals(flags, tools); // before anything is drawn
    const watched = signals.watch({ foreignCode: runsForeignCode(agent) });
    const offers = offersOf(io, agent);
    seat ??= takenSeat(io, flags, given, { theme, signals });
    seat?.steps.follow(() => session.state);
    if (seat?.status !== undefined) {
      const { composer } = seat;
      const changed = (): void => {
        composer.changed();
      };
      toReview = new ReviewCount({ io, session, changed });
    }
    seat?.status?.follow({
      state: () => session.state,
      contextTokens: () => roomOf(flags, agent.model)?.limit,
      mode: () => rules.mode,
      waits: () => !signals.stopsInside, // a reviewer looks at it first
      toReview: () => toReview?.calls ?? 0,
    });
    if (takesTurns) {
      seat?.composer.offer({ complete: offers, back: BACK });
      seat?.composer.turnModeWith(modeTurner(given));
    }
    if (!takesTurns) seat?.composer.closeLine(graph === undefined ? undefined : sender(io, given));
    if (takesTurns && seat !== undefined) seat = { ...seat, turns: ownWords(io, seat, signals, agent) };
    const renderer = await rendererFor(io, given, theme, { seat, spaced: takesTurns });
    const place = {
      ...{ mode, session, tools, rules },
      ...(seat !== undefined && { seat, aside: () => signals.aside() }),
    };
    const people = await composePeople(io, flags, place);
    tellNotices(given, renderer);
    if (mode.interactive) presentServers(io, given, renderer, people);
    if (seat !== undefined && graph !== undefined) drawFlow(seat, graph, session, theme);
    const taken = seat;
    const counting = toReview;
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
      ...(counting !== undefined && { looked: () => counting.refresh() }),
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

/**
 * Returns a function that switches the session to its next mode and describes that mode. Concurrent switches
 * run one after another. A switch takes effect once it is saved.
 */
function modeTurner({ session, agent: { rules } }: SessionRun): () => Promise<string> {
  const turns = new Mutex();
  return async () => {
    const leave = await turns.acquire(new AbortController().signal);
    try {
      return await turn();
    } finally {
      leave();
    }
  };

  async function turn(): Promise<string> {
    const next = nextMode(rules.mode);
    const why = await rules.whyNot(next);
    const wanted = why === undefined ? next : nextMode(next);
    if (session.state.agent === undefined) return 'this session has no model yet';
    try {
      await changeMode(wanted, { rules, session, keep: (events) => session.append(events) });
    } catch (thrown) {
      return `mode not changed: ${escapeText(messageOf(thrown))}`;
    }
    return why === undefined ? rules.modeInWords : `${rules.modeInWords} (${why})`;
  }
}

/** Sets up the process's signal handling. */
function signalsOf(io: Io, { drainMs }: RunFlags, { interactive }: Mode): Signals {
  return new Signals({ clock: io.clock, interactive, ...(drainMs !== undefined && { drainMs }) });
}

/**
 * Returns a function that completes input with slash commands, files, and the prompts and resources of
 * servers.
 */
function offersOf(io: Io, { servers: { servers } }: Agent): Offers['complete'] {
  const ofFiles = fileOffers(io);
  const ofServers = textOffers(servers);
  return (line) => [...slashOffers(line), ...ofFiles(line), ...ofServers(line)];
}

/** Takes control of the terminal if hitl can read single keys from it. */
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

/** Creates the renderer. Output starts with this run's first event. */
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

/** Shows the session's notices, and then notices about servers as they arrive. */
function tellNotices({ mode, session, notices, agent: { servers } }: SessionRun, renderer: Renderer): void {
  if (!mode.quiet) for (const notice of [...notices, ...session.notices]) renderer.notice(notice);
  servers.notices.to((line) => {
    if (!mode.quiet) renderer.notice(line);
  });
}

/** Lets MCP servers ask the user questions during a call. */
export function presentServers(
  io: Pick<Io, 'clock'>,
  { session, agent: { servers } }: Pick<SessionRun, 'session' | 'agent'>,
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

/** Draws a workflow's nodes and their status above the activity row. */
function drawFlow({ device: { screen } }: Seat, graph: Graph, session: Session, theme: Theme): void {
  const draw = ({ graph: frame }: RunState): void => {
    screen.setHeader(flowRows(flowProgress(graph, frame), theme, screen.size.columns - 1));
  };
  draw(session.state);
  session.onAppended((_events, state) => {
    draw(state);
  });
}

/** Returns the user's input line, in the form that prompt commands use. */
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

/** Whether third-party code runs in this process, from a workflow or a tool module. */
export function runsForeignCode({ graph, tools }: Pick<Agent, 'graph' | 'tools'>): boolean {
  return graph !== undefined || tools.descriptors.some(({ name }) => isFromModule(tools.get(name)));
}

/**
 * Returns a function that sends user input to the running workflow, or `undefined` if the store has no
 * message queue.
 */
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
 * Creates a renderer whose event stream has no gaps. The stream starts at event 1 in a new session, and
 * otherwise after the last event of the previous run. It shows every event in the journal exactly once,
 * including events that the run did not cause. Open questions are shown first, so that a program that reads
 * only the stream can answer them.
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

/** Returns a session's model, as shown in the row below the prompt. */
function agentOf({ state: { agent } }: Session): ModelName {
  return { spec: agent?.model ?? '', ...(agent?.server !== undefined && { server: agent.server }) };
}

/** Whether the session contains only the events that created it. */
function isNew({ version, state }: Session): boolean {
  return version <= 2 && state.entries.length === 0;
}
