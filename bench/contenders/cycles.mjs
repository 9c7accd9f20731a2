// What all contenders of the interrupt sections have in common.
import { thirds } from '../harness/statistics.mjs';

/** What a person answers: 10 kB, or a word. */
export function answerOf(bytes = 0) {
  return bytes === 0 ? 'yes' : 'a'.repeat(bytes);
}

/** Everybody warms up alike: conversations of 10 cycles, until they were 100 or took 2 s. */
const WARM_UP = { conversation: 10, cycles: 100, ms: 2000 };

/** How often one that takes long tells how far it is, in milliseconds. */
const TOLD_EVERY_MS = 1000;

/** Times cycles of one conversation; the costs are in milliseconds. */
export class Cycles {
  #tell;
  #told = performance.now();
  #wall = [];
  #processor = [];
  #start;
  #total;

  constructor(tell = () => undefined) {
    this.#tell = tell;
  }

  begin() {
    this.#start = { wall: performance.now(), cpu: process.cpuUsage() };
    this.#total ??= this.#start;
  }

  end() {
    this.#wall.push(performance.now() - this.#start.wall);
    const { user, system } = process.cpuUsage(this.#start.cpu);
    this.#processor.push((user + system) / 1000);
    if (performance.now() - this.#told < TOLD_EVERY_MS) return;
    this.#told = performance.now();
    this.#tell(this.numbers());
  }

  /** The whole of all cycles, by cycle, and how it grows from the first tenth to the last. */
  numbers(extra = {}) {
    const { user, system } = process.cpuUsage(this.#total.cpu);
    const count = this.#wall.length;
    const { first, middle, last } = thirds(this.#wall);
    const processor = thirds(this.#processor);
    return {
      cycles: count,
      msPerCycle: (performance.now() - this.#total.wall) / count,
      cpuMsPerCycle: (user + system) / 1000 / count,
      first,
      middle,
      last,
      wallGrowth: last / first,
      cpuGrowth: processor.last / processor.first,
      ...extra,
    };
  }
}

/** Some conversations that do not count, then the one that does and that tells how far it is. */
export async function warmAndMeasure(conversation, cycles, tell, warmUp = WARM_UP) {
  const begun = performance.now();
  let warmed = 0;
  while (warmed < warmUp.cycles && performance.now() - begun < warmUp.ms) {
    await conversation(warmUp.conversation);
    warmed += warmUp.conversation;
  }
  globalThis.gc?.();
  return { ...(await conversation(cycles, tell)), warmed };
}

/** For what is counted and not timed. */
export const NO_WARM_UP = { conversation: 0, cycles: 0, ms: 0 };
