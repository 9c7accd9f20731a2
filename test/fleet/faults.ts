// What happens to a fleet while it works: each schedule is one kind of trouble, and the last one all of them.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { setTimeout as passing } from 'node:timers/promises';

import type { Line } from './proxy.js';
import { lineTo } from './proxy.js';

export type Fault = 'kill' | 'stop' | 'cut' | 'silence' | 'crash' | 'restart' | 'clocks' | 'mixed';

/** The schedules, by name. */
export const SCHEDULES: Readonly<Record<string, readonly Fault[]>> = {
  calm: [],
  mixed: ['mixed'],
  kills: ['kill'],
  stops: ['stop'],
  lines: ['cut', 'silence'],
  clocks: ['clocks'],
  crashes: ['crash', 'restart'],
  all: ['mixed', 'kill', 'stop', 'cut', 'silence', 'crash', 'restart', 'clocks'],
};

/** A worker lives so long behind its first word, so that each has work when it dies. */
const LIFE_MS = 2_500;
/** Longer than a lease. */
const STOPPED_MS = 20_000;
const BETWEEN_MS = 3_000;
/** What takes long to get over happens one time of so many that something does. */
const SELDOM = 0.15;
const WRONG_MS = 600_000;

export interface FleetOptions {
  readonly url: string;
  /** The file of the worker, and that of its effects. */
  readonly script: string;
  readonly effects: string;
  readonly size: number;
  readonly faults: readonly Fault[];
  /** End the server, by force or in order, and start it again. */
  readonly crash: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Workers that are replaced as they die, each behind a line of its own, and the trouble that they have. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #workers = new Map<ChildProcess, Line>();
  readonly #stopped = new Set<ChildProcess>();
  /** How often each kind of trouble happened. */
  readonly happened: Partial<Record<Fault, number>> = {};
  #isTroubled = true;
  #isOver = false;
  #made = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    for (let count = 0; count < this.#options.size; count += 1) await this.#one();
    void this.#trouble();
  }

  /** From now on nothing happens to it, and all that it needs is there. */
  async calm(): Promise<void> {
    this.#isTroubled = false;
    for (const worker of this.#stopped) worker.kill('SIGCONT');
    this.#stopped.clear();
    for (const worker of [...this.#workers.keys()]) worker.kill('SIGKILL'); // each is followed by one in full
    await passing(0);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    for (const [worker, line] of [...this.#workers]) {
      worker.kill('SIGKILL');
      await line.close();
    }
  }

  #has(fault: Fault): boolean {
    return this.#isTroubled && this.#options.faults.includes(fault);
  }

  #count(fault: Fault): void {
    this.happened[fault] = 1 + (this.happened[fault] ?? 0);
  }

  async #one(): Promise<void> {
    const { url, script, effects } = this.#options;
    const line = await lineTo(url);
    this.#made += 1;
    const lacks = this.#has('mixed') && this.#made % 2 === 1 ? ['lacks'] : [];
    const ahead = this.#has('clocks') ? [0, WRONG_MS, -WRONG_MS][this.#made % 3] : 0;
    if (lacks.length > 0) this.#count('mixed');
    if (ahead !== 0) this.#count('clocks');
    const worker = spawn(process.execPath, [script, line.url, effects, String(ahead), ...lacks], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#workers.set(worker, line);
    worker.once('message', () => {
      setTimeout(
        () => {
          if (!this.#has('kill')) return;
          if (worker.kill('SIGKILL')) this.#count('kill');
        },
        LIFE_MS * (0.5 + Math.random()),
      );
    });
    worker.once('exit', () => {
      this.#workers.delete(worker);
      this.#stopped.delete(worker);
      void line.close();
      if (!this.#isOver) void this.#one();
    });
  }

  async #trouble(): Promise<void> {
    while (this.#isTroubled) {
      await passing(BETWEEN_MS * (0.5 + Math.random()));
      const workers = [...this.#workers];
      const [worker, line] = workers[Math.floor(Math.random() * workers.length)] ?? [];
      if (worker === undefined || line === undefined) continue;
      if (this.#has('cut')) {
        line.cut();
        this.#count('cut');
      }
      if (this.#has('silence') && Math.random() < SELDOM) {
        workers[0]?.[1].silence();
        this.#count('silence');
      }
      if (this.#has('stop') && !this.#stopped.has(worker)) void this.#stop(worker);
      for (const end of ['crash', 'restart'] as const) {
        if (!this.#has(end) || Math.random() >= SELDOM) continue;
        await this.#options[end]();
        this.#count(end);
      }
    }
  }

  async #stop(worker: ChildProcess): Promise<void> {
    this.#stopped.add(worker);
    worker.kill('SIGSTOP');
    this.#count('stop');
    await passing(STOPPED_MS);
    this.#stopped.delete(worker);
    worker.kill('SIGCONT');
  }
}
