import type { RunState, SessionMode } from '../../src/core/index.js';
import {
  contextUsed,
  count,
  isQuestion,
  knownCost,
  openInterrupts,
  plainLine,
} from '../../src/core/index.js';
import type { StatusPart } from '../../src/human/index.js';
import { formatCost, formatCount } from '../../src/render/index.js';
import type { ModelName } from '../agent/model-words.js';
import { modelWords } from '../agent/model-words.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { shortPlace, workPlace } from '../host/index.js';

/** Data for the status row before a session exists. */
interface Place {
  readonly model: ModelName;
  /** The folder and its branch, once with the full path and once with only the folder's name. */
  readonly folder: string;
  readonly shortFolder: string;
  readonly mode: SessionMode;
}

/** Data for the status row during a session. */
interface Running {
  readonly state: () => RunState;
  /** Returns the size of the model's context; `undefined` if it is unknown. */
  readonly contextTokens: () => number | undefined;
  readonly mode: () => SessionMode;
  /** Whether open questions are waiting for the user. Default: true. */
  readonly waits?: () => boolean;
  /** Returns the number of calls to review. Default: 0. */
  readonly toReview?: () => number;
}

/** Number of lines queued at the prompt. */
interface Waiting {
  readonly queued: number;
}

const MOST_COLUMNS = 60;

/** Order in which parts are dropped if the row is too narrow. Parts about permissions are dropped last. */
const STAYS = {
  server: 0,
  folder: 1,
  queued: 2,
  folderName: 3,
  cost: 4,
  context: 5,
  waiting: 6,
  model: 7,
  toReview: 8,
  mode: 9,
} as const;

/** Creates the row under the prompt, unless the user disabled it. */
export function statusBar(
  io: Io,
  { statusLine }: RunFlags,
  model: ModelName,
  mode: SessionMode,
): StatusBar | undefined {
  if (statusLine === false) return undefined;
  return new StatusBar({ model, folder: workPlace(io), shortFolder: shortPlace(io), mode });
}

/**
 * The row under the prompt: mode, model, folder, context usage, cost, calls to review, and waiting questions
 * and messages.
 */
export class StatusBar {
  readonly #place: Place;
  #running: Running | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Shows this session from now on. */
  follow(running: Running): void {
    this.#running = running;
  }

  /** Returns the parts from left to right. */
  parts({ queued }: Waiting): readonly StatusPart[] {
    const { model, folder, shortFolder } = this.#place;
    const state = this.#running?.state();
    const agent = state?.agent;
    const name = agent === undefined ? model : { ...agent, spec: agent.model };
    const toReview = this.#running?.toReview?.() ?? 0;
    const waits = this.#running?.waits?.() ?? true;
    const waiting = state === undefined || !waits ? 0 : openInterrupts(state).filter(isQuestion).length;
    return [
      { text: this.#running?.mode() ?? this.#place.mode, stays: STAYS.mode },
      shortened(
        { text: modelWords(name), stays: STAYS.server },
        { text: modelWords({ spec: name.spec }), stays: STAYS.model },
      ),
      shortened({ text: folder, stays: STAYS.folder }, { text: shortFolder, stays: STAYS.folderName }),
      ...(state === undefined
        ? []
        : [...contextPart(state, this.#running?.contextTokens()), ...costPart(state)]),
      ...(toReview === 0 ? [] : [{ text: `${formatCount(toReview)} to review`, stays: STAYS.toReview }]),
      ...(waiting === 0 ? [] : [{ text: count(waiting, 'waits', 'wait'), stays: STAYS.waiting }]),
      ...(queued === 0 ? [] : [{ text: `queued ${queued}`, stays: STAYS.queued }]),
    ];
  }
}

/** Returns a part together with its shorter form. Sanitizes untrusted text and limits its length. */
function shortened(whole: StatusPart, shorter: StatusPart): StatusPart {
  const [long, short] = [whole, shorter].map(({ text }) => plainLine(text, MOST_COLUMNS));
  return { ...whole, text: long ?? '', shorter: { ...shorter, text: short ?? '' } };
}

function contextPart(state: RunState, room: number | undefined): readonly StatusPart[] {
  const used = contextUsed(state);
  if (used === 0) return [];
  const text =
    room === undefined
      ? `context ${formatCount(used)} tokens`
      : `context ${Math.round((used / room) * 100)} %`;
  return [{ text, stays: STAYS.context }];
}

function costPart({ usage }: RunState): readonly StatusPart[] {
  const cost = knownCost(usage) ?? 0;
  return cost === 0 ? [] : [{ text: formatCost(cost), stays: STAYS.cost }];
}
