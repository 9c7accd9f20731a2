import { columnsOf } from '../../src/core/index.js';
import type { ModelName } from '../agent/model-words.js';
import { modelWords } from '../agent/model-words.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { shortPlace, version, workPlace } from '../host/index.js';

/** Messages that the demo model understands, with the default tools. */
const DEMO_TRIES = ['Transfer 200 to ABC123', 'Plan a barbecue', 'Run echo hello'];

/**
 * The first lines of a chat: which program, which model, where, which words of the project, and what to type. Where they
 * do not fit, the folder is named without those above it, then the model in fewer words, and the line breaks between its
 * parts.
 */
export function startLines(
  io: Io,
  flags: RunFlags,
  {
    columns = Number.POSITIVE_INFINITY,
    memory,
    ...name
  }: ModelName & { readonly columns?: number | undefined; readonly memory?: string | undefined },
): readonly string[] {
  const isDemo = name.spec === 'demo';
  const words = `${modelWords(name)}${isDemo ? ' (scripted, no API key needed)' : ''}`;
  const partsOf = (model: string, place: string): readonly string[] => [
    `hitl ${version()}`,
    model,
    place,
    ...(memory === undefined ? [] : [memory]),
    '/help',
  ];
  const short = partsOf(modelWords(name), shortPlace(io));
  const forms = [partsOf(words, workPlace(io)), partsOf(words, shortPlace(io)), short];
  const fitting = forms.find((parts) => columnsOf(parts.join(SEPARATOR)) < columns);
  const first = brokenBetween(fitting ?? short, columns - 1);
  const hasAll = flags.builtinTools === true && flags.allowTool === undefined && flags.denyTool === undefined;
  return isDemo && hasAll ? [...first, `Try  ${DEMO_TRIES.join('  ·  ')}`] : first;
}

const SEPARATOR = ' · ';

/** The parts in as many rows as they need. */
function brokenBetween(parts: readonly string[], columns: number): readonly string[] {
  return parts.reduce<readonly string[]>((rows, part) => {
    const last = rows.at(-1);
    const longer = `${last ?? ''}${SEPARATOR}${part}`;
    if (last === undefined || columnsOf(longer) > columns) return [...rows, part];
    return [...rows.slice(0, -1), longer];
  }, []);
}
