import { shown } from '../src/core/index.js';
import { replayCheck } from '../src/graph/index.js';
import { rowsWithin } from '../src/render/index.js';
import { flowFile, loadFlow, trustFlow } from './agent/index.js';
import { statusOf } from './exit/index.js';
import type { CommonFlags, RunFlags } from './flags/index.js';
import { modeOf } from './flags/index.js';
import type { Io } from './host/index.js';
import { printJson } from './host/index.js';
import { replayText } from './report/index.js';
import { stdoutTable } from './screen/index.js';
import { openStore } from './store/index.js';

type ReplayFlags = CommonFlags & Pick<RunFlags, 'trust'>;

/** `hitl test-replay`: replays a session with the code of today, and says where it differs. Nothing of it runs. */
export async function testReplay(
  io: Io,
  [named, given]: readonly unknown[],
  flags: ReplayFlags,
): Promise<number> {
  const store = await openStore(io, flags);
  await using session = await store.open(await store.resolve(String(given)), 'read');
  const file = await flowFile(io, String(named));
  const agreed = await trustFlow(io, { ...flags, save: false }, modeOf(io, flags), file);
  const report = await replayCheck(await loadFlow(io, { file: file.file, agreed }), session);
  if (flags.json === true) printJson(io, { session: session.id, ...report });
  else io.stdout.write(rowsWithin(shown`${replayText(report)}\n`, stdoutTable(io, flags.color).columns));
  return report.difference === undefined ? 0 : statusOf('NONDETERMINISM');
}
