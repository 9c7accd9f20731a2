import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { perTurn } from './conversation.mjs';
import { answerOf, Cycles, NO_WARM_UP, warmAndMeasure } from './cycles.mjs';
import { parallelTools } from './waiting.mjs';

/** What this process has written, in bytes; `undefined` where the system does not say. */
function bytesWritten() {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return undefined; // only Linux says
  }
}

async function conversation({ cycles }, count, { bytes, saved, tell }) {
  const folder = mkdtempSync(path.join(process.env.BENCH_TMP ?? tmpdir(), 'hitl-bench-'));
  const clock = new Cycles(tell);
  const file = saved ? path.join(folder, 'saved') : undefined;
  const before = bytesWritten();
  await cycles(count, { answer: answerOf(bytes), clock, file });
  const numbers = clock.numbers({ ...(saved && { kbPerCycle: (bytesWritten() - before) / 1024 / count }) });
  rmSync(folder, { recursive: true, force: true });
  return numbers;
}

/** @param params `{ peer, section: 'turns' | 'turnsSaved' | 'cycles' | 'parallel', … }` */
export async function measure({ peer, section, ...params }, tellAll) {
  const module = await import(`./peers/${peer}.mjs`);
  switch (section) {
    case 'cycles': {
      const { cycles, bytes = 0, saved = false, counted = false } = params;
      const converse = (count, tell) => conversation(module, count, { bytes, saved, tell });
      return warmAndMeasure(converse, cycles, tellAll, counted ? NO_WARM_UP : undefined);
    }
    case 'parallel':
      return parallelTools((tools, wait) => module.parallel(tools, wait), params);
    default:
      return perTurn(params.turns, module[section], params.warmUp);
  }
}
