// A program that runs no code but its own, and whose main thread freezes after more than a second.
import { Signals } from '../../commands/exit/signals.js';
import { systemClock } from '../../src/library/index.js';

const signals = new Signals({ clock: systemClock, interactive: false });
await signals.watch({ foreignCode: false });
setTimeout(() => {
  process.stdout.write('frozen');
  for (;;);
}, 2_500);
