import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { perTurn } from './conversation.mjs';
import { answerOf, Cycles } from './cycles.mjs';
import { parallelTools } from './waiting.mjs';

async function cyclesOf({ cycles }, count, { bytes, saved }) {
  const folder = mkdtempSync(path.join(process.env.BENCH_TMP ?? tmpdir(), 'hitl-bench-'));
  const clock = new Cycles();
  const file = saved ? path.join(folder, 'saved') : undefined;
  await cycles(count, { answer: answerOf(bytes), clock, file });
  const numbers = clock.numbers();
  rmSync(folder, { recursive: true, force: true });
  return numbers;
}

/** @param params `{ peer, section: 'turns' | 'turnsSaved' | 'cycles' | 'parallel', … }` */
export async function measure({ peer, section, ...params }) {
  const module = await import(`./peers/${peer}.mjs`);
  const { warmUp = 10 } = params;
  switch (section) {
    case 'cycles': {
      const { cycles, bytes = 0, saved = false } = params;
      if (warmUp > 0) await cyclesOf(module, warmUp, { bytes, saved });
      globalThis.gc?.();
      return cyclesOf(module, cycles, { bytes, saved });
    }
    case 'parallel':
      return parallelTools((tools, wait) => module.parallel(tools, wait), params);
    default:
      return perTurn(params.turns, module[section], { warmUp, repeat: params.repeat ?? true });
  }
}
