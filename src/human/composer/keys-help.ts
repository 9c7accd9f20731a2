/** The keys of the prompt and what they do, for `?` on an empty line. */
export const KEYS_HELP: readonly string[] = [
  'Enter sends, or queues while something runs · ↑ takes the last queued line back',
  'Esc stops what runs · Esc Esc edits an earlier message, or clears the line',
  'Ctrl-C clears the line, stops, and twice leaves · Ctrl-D leaves',
  'Alt-Enter, Ctrl-J or \\ and Enter: a new line · ← → or Ctrl-E opens a pasted block',
  '/ commands · @ a file · ! a command of your own · ↑ ↓ and Ctrl-R earlier lines · Ctrl-L draws anew · Ctrl-O a whole output',
];
