/** At most one line each so many milliseconds: a program that floods must not flood the screen. */
const EVERY_MS = 100;
/** Characters of a line that are looked at; whoever shows it cuts it to its place, after its secrets are masked. */
const MAX_LINE = 8 * 1024;

/**
 * Takes pieces of output and tells of whole lines, the newest where they come too fast. Of a private key nothing is
 * told: its lines have no look of their own.
 */
export function progressLines(now: () => number, tell: (line: string) => void): (text: string) => void {
  let rest = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  let inKey = false;
  return (text) => {
    const lines = (rest + text).split(/\r\n|\r|\n/);
    // The beginning: a secret must not lose what it is known by.
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    let newest: string | undefined;
    for (const line of lines) {
      inKey ||= /-----BEGIN [A-Z ]*PRIVATE KEY-----/u.test(line);
      if (!inKey && line.trim() !== '') newest = line;
      if (/-----END [A-Z ]*PRIVATE KEY-----/u.test(line)) inKey = false;
    }
    if (newest === undefined || now() - toldAt < EVERY_MS) return;
    toldAt = now();
    tell(newest.slice(0, MAX_LINE));
  };
}
