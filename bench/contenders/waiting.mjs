import { setTimeout as sleep } from 'node:timers/promises';

/** How long each of the tools takes. */
export const TOOL_MS = 100;

/** How long a turn takes whose tools wait at once; the median of some. */
export async function parallelTools(turn, { tools = 8, times = 5 } = {}) {
  const wait = async () => {
    await sleep(TOOL_MS);
    return 'waited';
  };
  await turn(tools, wait);
  const walls = [];
  for (let time = 0; time < times; time += 1) {
    const start = performance.now();
    const own = await turn(tools, wait); // one that prepares and tidies up tells what the turn alone took
    walls.push(typeof own === 'number' ? own : performance.now() - start);
  }
  walls.sort((a, b) => a - b);
  return { ms: walls[times >> 1], leastMs: walls[0] };
}
