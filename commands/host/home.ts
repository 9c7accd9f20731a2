import { homedir } from 'node:os';

/** The user's home folder; empty where the system knows none. */
export function homeHere(): string {
  try {
    return homedir();
  } catch {
    return ''; // `HOME` is longer than the system takes
  }
}
