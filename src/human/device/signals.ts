import type { TerminalSignals } from './ports.js';

/** The part of `process` that `processSignals` needs. */
export interface SignalProcess {
  on(signal: 'SIGCONT', listener: () => void): unknown;
  kill(pid: number, signal: 'SIGTSTP'): unknown;
}

/**
 * Implements job control with the signals of a process. Stops the whole process group, as the kernel does
 * when Ctrl-Z is pressed.
 */
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
