import { columnsOf } from '../../src/core/index.js';
import type { ModelName } from '../agent/model-words.js';
import { modelWords } from '../agent/model-words.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { shortPlace, version, workPlace } from '../host/index.js';

/** Messages that the demo model understands, with the default tools. */
const DEMO_TRIES = ['Transfer 200 to ABC123', 'Plan a barbecue', 'Run echo hello'];

/**
 * Returns the first lines of a chat: version, model, folder, project instructions, and help. If they do not
 * fit on one row, shortens the folder to its name, then shortens the model, then breaks the line between
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

/** Joins the parts into rows, and starts a new row whenever the next part does not fit. */
function brokenBetween(parts: readonly string[], columns: number): readonly string[] {
  return parts.reduce<readonly string[]>((rows, part) => {
    const last = rows.at(-1);
    const longer = `${last ?? ''}${SEPARATOR}${part}`;
    if (last === undefined || columnsOf(longer) > columns) return [...rows, part];
    return [...rows.slice(0, -1), longer];
  }, []);
}
