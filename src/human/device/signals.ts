import type { TerminalSignals } from './ports.js';

/** The part of `process` that `processSignals` needs. */
export interface SignalProcess {
  on(signal: 'SIGCONT', listener: () => void): unknown;
  kill(pid: number, signal: 'SIGTSTP'): unknown;
}

/** Job control by the signals of a process; the whole group stops, as it does when the kernel sees Ctrl-Z. */
export function processSignals(target: SignalProcess): TerminalSignals {
  return {
    onContinue: (listener) => {
      target.on('SIGCONT', listener);
    },
    stop: () => {
      target.kill(0, 'SIGTSTP');
    },
  };
}
