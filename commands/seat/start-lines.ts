import type { ModelName } from '../agent/model-words.js';
import { modelWords } from '../agent/model-words.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { version, workPlace } from '../host/index.js';

/** Messages that the demo model understands, with the default tools. */
const DEMO_TRIES = ['Transfer 200 to ABC123', 'Plan a barbecue', 'Run echo hello'];

/** Returns the first lines of a chat: program, model, folder, and what to type. */
export function startLines(io: Io, flags: RunFlags, name: ModelName): readonly string[] {
  const isDemo = name.spec === 'demo';
  const words = `${modelWords(name)}${isDemo ? ' (scripted, no API key needed)' : ''}`;
  const first = `hitl ${version()} · ${words} · ${workPlace(io)} · /help`;
  const hasAll = flags.builtinTools && flags.allowTool === undefined && flags.denyTool === undefined;
  return isDemo && hasAll ? [first, `Try  ${DEMO_TRIES.join('  ·  ')}`] : [first];
}
