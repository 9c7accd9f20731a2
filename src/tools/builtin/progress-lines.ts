/** At most one line each so many milliseconds: a program that floods must not flood the screen. */
const EVERY_MS = 100;
const MAX_LINE = 200;

/** Takes pieces of output and tells of whole lines, the newest where they come too fast. */
export function progressLines(now: () => number, tell: (line: string) => void): (text: string) => void {
  let rest = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  return (text) => {
    const lines = (rest + text).split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? '').slice(-MAX_LINE);
    const line = lines.findLast((candidate) => candidate.trim() !== '');
    if (line === undefined || now() - toldAt < EVERY_MS) return;
    toldAt = now();
    tell(line.slice(0, MAX_LINE));
  };
}
