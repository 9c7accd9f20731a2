import type { RunState, SessionMode } from '../../src/core/index.js';
import {
  contextUsed,
  count,
  isQuestion,
  knownCost,
  openInterrupts,
  plainLine,
} from '../../src/core/index.js';
import { formatCost, formatCount } from '../../src/render/index.js';
import type { ModelName } from '../agent/model-words.js';
import { modelWords } from '../agent/model-words.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { workPlace } from '../host/index.js';

/** Data of the status row before a session exists. */
interface Place {
  readonly model: ModelName;
  /** The folder and its branch. */
  readonly folder: string;
  readonly mode: SessionMode;
}

/** Data of the status row during a session. */
interface Running {
  readonly state: () => RunState;
  /** The model's context size; absent if unknown. */
  readonly contextTokens: () => number | undefined;
  readonly mode: () => SessionMode;
}

/** The lines that wait at the prompt. */
interface Waiting {
  readonly queued: number;
}

const MOST_COLUMNS = 60;

/** Creates the row under the prompt, unless disabled. */
export function statusBar(
  io: Io,
  { statusLine }: RunFlags,
  model: ModelName,
  mode: SessionMode,
): StatusBar | undefined {
  return statusLine === false ? undefined : new StatusBar({ model, folder: workPlace(io), mode });
}

/** The row under the prompt: model, folder, a non-default mode, context usage, cost, queue. */
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

  /** Left to right; the rightmost parts are dropped first. */
  parts({ queued }: Waiting): readonly string[] {
    const { model, folder } = this.#place;
    const state = this.#running?.state();
    const agent = state?.agent;
    const mode = this.#running?.mode() ?? this.#place.mode;
    const waiting = state === undefined ? 0 : openInterrupts(state).filter(isQuestion).length;
    return [
      plainLine(modelWords(agent === undefined ? model : { ...agent, spec: agent.model }), MOST_COLUMNS),
      plainLine(folder, MOST_COLUMNS),
      ...(mode === 'ask' ? [] : [mode]),
      ...(state === undefined
        ? []
        : [...contextPart(state, this.#running?.contextTokens()), ...costPart(state)]),
      ...(waiting === 0 ? [] : [count(waiting, 'waits', 'wait')]),
      ...(queued === 0 ? [] : [`queued ${queued}`]),
    ];
  }
}

function contextPart(state: RunState, room: number | undefined): readonly string[] {
  const used = contextUsed(state);
  if (used === 0) return [];
  if (room === undefined) return [`context ${formatCount(used)} tokens`];
  return [`context ${Math.round((used / room) * 100)} %`];
}

function costPart({ usage }: RunState): readonly string[] {
  const cost = knownCost(usage) ?? 0;
  return cost === 0 ? [] : [formatCost(cost)];
}
