// What all contenders of the interrupt sections have in common.
import { thirds } from '../harness/statistics.mjs';

/** What a person answers: 10 kB, or a word. */
export function answerOf(bytes = 0) {
  return bytes === 0 ? 'yes' : 'a'.repeat(bytes);
}

/** Times cycles of one conversation; the costs are in milliseconds. */
export class Cycles {
  #wall = [];
  #processor = [];
  #start;
  #total;

  begin() {
    this.#start = { wall: performance.now(), cpu: process.cpuUsage() };
    this.#total ??= this.#start;
  }

  end() {
    this.#wall.push(performance.now() - this.#start.wall);
    const { user, system } = process.cpuUsage(this.#start.cpu);
    this.#processor.push((user + system) / 1000);
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
      growth: processor.last / processor.first,
      wallGrowth: last / first,
      ...extra,
    };
  }
}

/** Some cycles that do not count, then those that do. */
export async function warmAndMeasure(conversation, cycles, warmUp) {
  if (warmUp > 0) await conversation(warmUp);
  globalThis.gc?.();
  return conversation(cycles);
}
