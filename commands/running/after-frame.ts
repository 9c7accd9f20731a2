/** Sixty frames a second: more cannot be told apart. */
const FRAME_MS = 16;

/** Draws once when a frame is over, or the process ends before it is. */
export function afterFrame(draw: () => void): void {
  const end = () => {
    clearTimeout(timer);
    process.off('exit', end);
    draw();
  };
  const timer = setTimeout(end, FRAME_MS);
  process.once('exit', end);
}
