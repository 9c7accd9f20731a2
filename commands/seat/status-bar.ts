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

/** The things that the status row is made from before there is a session. */
interface Place {
  readonly model: ModelName;
  /** The folder and its branch. */
  readonly folder: string;
  readonly mode: SessionMode;
}

/** The things that are known once there is a session. */
interface Running {
  readonly state: () => RunState;
  /** Tokens that fit the model; absent where that is not known. */
  readonly contextTokens: () => number | undefined;
  readonly mode: () => SessionMode;
}

/** The lines that wait at the prompt. */
interface Waiting {
  readonly queued: number;
}

const MOST_COLUMNS = 60;

/** The row under the prompt, where the person does not do without it. */
export function statusBar(
  io: Io,
  { statusLine }: RunFlags,
  model: ModelName,
  mode: SessionMode,
): StatusBar | undefined {
  return statusLine === false ? undefined : new StatusBar({ model, folder: workPlace(io), mode });
}

/** The row under the prompt: model, folder, the mode where it is not the usual one, how full the context is, the cost, what waits. */
export class StatusBar {
  readonly #place: Place;
  #running: Running | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  /** From now on it tells of a session. */
  follow(running: Running): void {
    this.#running = running;
  }

  /** From left to right; the right parts give way first. */
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
