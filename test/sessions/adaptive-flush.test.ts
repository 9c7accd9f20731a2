import { describe, expect, test } from 'vitest';

import { adaptiveFlush } from '../../sessions/disk/adaptive-flush.js';

/** A disk whose flushes take as long as `tookMs` says at the time. */
class Disk {
  tookMs = 0.2;
  error: Error | undefined;
  readonly #ways: string[] = [];
  #now = 1000;
  readonly #flush = adaptiveFlush({
    inPlace: () => {
      this.#take('place');
    },
    inPool: async () => {
      await Promise.resolve();
      this.#take('pool');
    },
    now: () => this.#now,
  });

  /** Flushes so many times; which way each of them went. */
  async flush(times: number): Promise<readonly string[]> {
    this.#ways.length = 0;
    for (let time = 0; time < times; time += 1) await this.#flush(3);
    return [...this.#ways];
  }

  #take(way: string): void {
    this.#ways.push(way);
    this.#now += this.tookMs;
    if (this.error !== undefined) throw this.error;
  }
}

function times(count: number, way: string): readonly string[] {
  return Array.from({ length: count }, () => way);
}

describe('a flush', () => {
  test('is made in place after 8 in a row that were fast', async () => {
    const disk = new Disk();
    expect(await disk.flush(10)).toEqual([...times(8, 'pool'), 'place', 'place']);
  });

  test('stays in the pool where the disk is slow, however often', async () => {
    const disk = new Disk();
    disk.tookMs = 1;
    expect(await disk.flush(50)).toEqual(times(50, 'pool'));
  });

  test('goes to the pool after one that took long, until 8 were fast again (G26)', async () => {
    const disk = new Disk();
    await disk.flush(20);
    disk.tookMs = 30_000;
    expect(await disk.flush(4)).toEqual(['place', ...times(3, 'pool')]);
    disk.tookMs = 0.2;
    expect(await disk.flush(9)).toEqual([...times(8, 'pool'), 'place']);
  });

  test('that is slow counts where a fast one began and ended beside it (G26)', async () => {
    let now = 0;
    const inPool: (() => void)[] = [];
    const ways: string[] = [];
    const flush = adaptiveFlush({
      inPlace: () => {
        ways.push('place');
      },
      inPool: () => {
        ways.push('pool');
        return new Promise((resolve) => {
          inPool.push(resolve);
        });
      },
      now: () => now,
    });
    for (let time = 0; time < 7; time += 1) {
      const fast = flush(3);
      inPool.shift()?.();
      await fast;
    }
    const [first, slow] = [flush(3), flush(4)];
    inPool.shift()?.();
    await first;
    now += 30_000;
    inPool.shift()?.();
    await slow;
    void flush(3);
    expect(ways.at(-1)).toBe('pool');
  });

  test('that fails in place rejects, and the next ones go to the pool (G6)', async () => {
    const disk = new Disk();
    await disk.flush(20);
    disk.error = new Error('EIO');
    await expect(disk.flush(1)).rejects.toThrow('EIO');
    disk.error = undefined;
    expect(await disk.flush(9)).toEqual([...times(8, 'pool'), 'place']);
  });
});
