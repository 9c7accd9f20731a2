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

/** How long to wait for the lock of the queue, in milliseconds. */
const SEND_MS = 5_000;

/** A session's surroundings: renderer, people, and signal handling. */
export interface Stage extends Disposable {
  readonly renderer: Renderer;
  readonly people: People;
  readonly signals: Pick<Signals, 'leave' | 'beginWork' | 'status'>;
  /** Clears the screen except the prompt; absent if nothing can be drawn. */
  readonly clear?: () => void;
  /** The user's input line, if there is one. */
  readonly line?: PersonLine;
  /** Looks again at how far the user has looked at what went by; absent if nobody is told. */
  readonly looked?: () => Promise<void>;
  /** Returns typed but undelivered lines. */
  readonly unsent: () => readonly string[];
  /** Sets the handler of lines entered while a question is postponed; it returns whether it used the line. */
  readonly beside: (take: (line: string) => boolean) => void;
}

/** Sets up a session's surroundings, and shows its notices. */
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

/** Turns a session to its next mode, one after the other, and says what that means; it counts once it is kept. */
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

/** Hears the signals of the process. */
function signalsOf(io: Io, { drainMs }: RunFlags, { interactive }: Mode): Signals {
  return new Signals({ clock: io.clock, interactive, ...(drainMs !== undefined && { drainMs }) });
}

/** Completes input: slash commands, files, and names of servers. */
function offersOf(io: Io, { servers: { servers } }: Agent): Offers['complete'] {
  const ofFiles = fileOffers(io);
  const ofServers = textOffers(servers);
  return (line) => [...slashOffers(line), ...ofFiles(line), ...ofServers(line)];
}

/** Takes over the terminal if it sends keys. */
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

/** Creates the renderer, starting with this run's first event. */
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

/** Shows the notices before the session, and later those of its servers. */
function tellNotices({ mode, session, notices, agent: { servers } }: SessionRun, renderer: Renderer): void {
  if (!mode.quiet) for (const notice of [...notices, ...session.notices]) renderer.notice(notice);
  servers.notices.to((line) => {
    if (!mode.quiet) renderer.notice(line);
  });
}

/** Lets tool servers ask the user directly. */
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

/** Draws a workflow's nodes with their status above the activity row. */
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

/** Whether foreign code runs in this process: a workflow's, or a tool module's. */
export function runsForeignCode({ graph, tools }: Pick<Agent, 'graph' | 'tools'>): boolean {
  return graph !== undefined || tools.descriptors.some(({ name }) => isFromModule(tools.get(name)));
}

/** Sends user input to the running workflow, if it has a queue. */
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
 * Creates a renderer for an event stream without gaps: from 1 in a new session, else from its last stop. It
 * shows everything in the journal, including unrequested events, and nothing twice. It starts with the open
 * questions, so that a program that reads only the stream can answer.
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

/** Whether the session contains only its creation. */
function isNew({ version, state }: Session): boolean {
  return version <= 2 && state.entries.length === 0;
}
