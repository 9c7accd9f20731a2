import type { Renderer, SessionId } from '../../src/core/index.js';
import { isoTime } from '../../src/core/index.js';
import { FOLDS_KEY } from '../../src/human/index.js';
import { viewWhole } from '../../src/human/seated.js';
import type { Theme, WorkingRows } from '../../src/render/index.js';
import {
  createJsonLinesRenderer,
  TextRenderer,
  createSpinner,
  TerminalRenderer,
} from '../../src/render/index.js';
import type { Io } from '../host/index.js';
import type { Seat } from '../seat/seat.js';
import type { Mode } from '../flags/mode.js';

const NOWHERE = { write: () => true };

/**
 * Whether to report immediately why a run fails, for a user who then continues. Otherwise, the caller reports
 * the reason at the end.
 */
export function showsFailures({ interactive, format }: Mode): boolean {
  return interactive && format !== 'stream-json';
}

/** Creates the renderer for a mode: a terminal, plain text for scripts, or JSON. */
export function composeRenderer(
  io: Io,
  mode: Mode,
  theme: Theme,
  {
    session,
    seat,
    spaced,
    isMute,
  }: {
    readonly session: SessionId;
    readonly seat: Seat | undefined;
    /** Turn follows turn. */
    readonly spaced: boolean;
    /** Whether stdout is reserved for a single document at the end. */
    readonly isMute: boolean;
  },
): Renderer {
  const now = (): number => io.clock.now();
  const { stdout, stderr } = io;
  if (mode.format === 'stream-json') {
    return createJsonLinesRenderer({ stdout, session, now: () => isoTime(now()) });
  }
  const shared = { stderr, theme, now, quiet: mode.quiet };
  const text = { ...shared, verbose: mode.verbose, failures: showsFailures(mode) };
  const isRich = stderr.isTTY || stdout.isTTY;
  const spinner = isRich
    ? createSpinner({
        stream: stderr,
        env: io.env,
        style: theme.dim,
        now,
        ...(seat !== undefined && {
          key: 'Esc',
          row: (rows: WorkingRows | undefined) => {
            seat.device.screen.setActivity(rows);
          },
        }),
      })
    : undefined;
  const spinning = spinner === undefined ? {} : { spinner };
  if (mode.format === 'json' || isMute) return new TextRenderer({ ...text, ...spinning, stdout: NOWHERE });
  if (isRich && mode.interactive && stdout.isTTY) {
    const seated = seat === undefined ? {} : { unfold: FOLDS_KEY, lastLine: seat.device.screen.lastLine };
    const renderer = new TerminalRenderer({
      ...shared,
      ...spinning,
      ...seated,
      stdout,
      afterFrame,
      spaced,
    });
    seat?.device.viewWith((terminal) => {
      const rows = (columns: number): readonly string[] => renderer.foldRows(columns);
      if (rows(terminal.columns).length === 0) return undefined;
      return viewWhole({ terminal, clock: io.clock, theme: seat.look }, rows);
    });
    return renderer;
  }
  return new TextRenderer({ ...text, ...spinning, stdout });
}

/** Interval between frames, in milliseconds, which corresponds to 60 frames per second. */
const FRAME_MS = 16;

/** Calls `draw` at the end of the frame, or when the process exits if that is earlier. */
export function afterFrame(draw: () => void): void {
  const end = () => {
    clearTimeout(timer);
    process.off('exit', end);
    draw();
  };
  const timer = setTimeout(end, FRAME_MS);
  process.once('exit', end);
}
