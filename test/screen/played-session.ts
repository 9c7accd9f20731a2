import { terminalTheme } from '../../commands/screen/terminal-here.js';
import type { Interrupt, RunState, SessionEvent, TransientEvent } from '../../src/core/index.js';
import type { StatusPart } from '../../src/human/index.js';
import { FOLDS_KEY } from '../../src/human/index.js';
import { Composer, TerminalChannel, viewWhole } from '../../src/human/seated.js';
import { appliedRows, createSpinner, createTheme, TerminalRenderer } from '../../src/render/index.js';
import type { TestTerminal } from '../human/terminal-harness.js';
import { testTerminal } from '../human/terminal-harness.js';
import { agent, decides, raises, stateOf } from '../render/story.js';

const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;

/** Something that a session tells. */
type Told =
  | { readonly type: 'pause' }
  | { readonly durable: SessionEvent }
  | { readonly transient: TransientEvent };

/** A session that is shown on a terminal where a person sits: events by hand, and everything else as in the program. */
export class PlayedSession {
  readonly terminal: TestTerminal;
  readonly composer: Composer;
  readonly renderer: TerminalRenderer;
  /** The row below the prompt. */
  status: readonly StatusPart[] = [
    { text: 'demo', stays: 1 },
    { text: 'shop (main)', stays: 0 },
  ];
  readonly #channel: TerminalChannel;
  #listener: (told: Told) => void = () => undefined;
  readonly #events: SessionEvent[] = [{ type: 'session-created', agent }];

  constructor(size: { readonly columns: number; readonly rows: number }, colour = false) {
    const terminal = testTerminal(size);
    this.terminal = terminal;
    const { device, clock, output } = terminal;
    const theme = createTheme({ colour });
    const look = terminalTheme(theme);
    this.composer = new Composer({
      device,
      clock,
      theme: look,
      status: () => this.status,
    });
    const now = (): number => clock.now();
    const write = (text: string): void => void output.write(text);
    const stream = { ...size, write };
    const spinner = createSpinner({
      stream: Object.assign(Object.create(process.stderr) as typeof process.stderr, { isTTY: true, ...size }),
      ...{ env: {}, style: theme.dim, now, key: 'Esc' },
      row: (rows) => {
        device.screen.setActivity(rows);
      },
    });
    this.renderer = new TerminalRenderer({
      ...{ stdout: stream, stderr: stream, theme, now, spinner, spaced: true },
      ...{ unfold: FOLDS_KEY, lastLine: device.screen.lastLine },
    });
    this.#channel = new TerminalChannel({
      ...{ device, clock, theme: look, actor },
      changed: (interrupt, resolution, columns) =>
        appliedRows({ interrupt, resolution }, { theme, columns }, FOLDS_KEY),
    });
    device.viewWith((held) => {
      const rows = (columns: number): readonly string[] => this.renderer.foldRows(columns);
      return rows(held.columns).length === 0
        ? undefined
        : viewWhole({ terminal: held, clock, theme: look }, rows);
    });
  }

  /** From now on tells this of everything that it tells, and where somebody else writes. */
  hear(listener: (told: Told) => void): void {
    this.#listener = listener;
  }

  get state(): RunState {
    return stateOf(this.#events);
  }

  /** Tells of what happens, in order. */
  tell(...events: readonly (SessionEvent | TransientEvent)[]): void {
    for (const event of events) {
      if (isTransient(event)) {
        this.#listener({ transient: event });
        this.renderer.transient(event);
      } else {
        this.#events.push(event);
        this.#listener({ durable: event });
        this.renderer.event(event, this.#events.length, this.state);
      }
    }
  }

  /** Raises a question, and has it answered by keys that a person presses. */
  async decide(interrupt: Interrupt, ...keys: readonly string[]): Promise<void> {
    this.tell(raises(interrupt));
    await this.answer(interrupt, ...keys);
  }

  /** Has a question answered that was raised. */
  async answer(interrupt: Interrupt, ...keys: readonly string[]): Promise<void> {
    this.renderer.pause();
    this.#listener({ type: 'pause' });
    const asked = this.#channel.ask([interrupt], this.state, new AbortController().signal);
    await this.terminal.press(...keys);
    const result = await asked;
    if (result.type !== 'answered') throw new Error(result.why);
    this.tell(decides(interrupt, result.answer.resolution, actor));
  }

  /** What a person sees, and what scrolled away above it. */
  async screen(): Promise<string> {
    return this.terminal.screen();
  }

  /** A message of the model that is told at once. */
  end(): void {
    this.renderer.stopped(this.state);
  }

  [Symbol.dispose](): void {
    this.terminal.device.restore();
  }
}

const TRANSIENT: ReadonlySet<string> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'tool-progress',
  'reviewing',
]);

function isTransient(event: SessionEvent | TransientEvent): event is TransientEvent {
  return TRANSIENT.has(event.type);
}
