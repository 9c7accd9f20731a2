import type { JsonObject } from '../../../src/core/index.js';
import type { Deed } from './say.js';
import { missingTool, notDone } from './say.js';
import type { DemoReply, DemoTurn, DoneCall } from './turn.js';

/** Continues a request. */
export type Plan = (turn: DemoTurn) => DemoReply;

/** One skill of the demo model: returns a plan for matching text, otherwise `undefined`. */
export type Rule = (said: string) => Plan | undefined;

/** Returns the calls to a tool in this turn with their results, in the order of the requests. */
export function callsOf(turn: DemoTurn, tool: string): readonly DoneCall[] {
  return turn.rounds.flat().filter(({ name }) => name === tool);
}

export interface Job {
  readonly tool: string;
  readonly input: JsonObject;
  /** Text that accompanies the call. */
  readonly before: string;
  readonly deed: Deed;
  /**
   * Reports the result of a call. Its input is the one that the tool ran with, which a person may have
   * edited.
   */
  readonly report: (call: DoneCall) => string;
}

/** Returns a plan that makes one call and reports its result. */
export function oneCall({ tool, input, before, deed, report }: Job): Plan {
  return (turn) => {
    const done = callsOf(turn, tool).at(-1);
    if (done !== undefined) return { text: done.isError ? notDone(done, deed) : report(done) };
    if (!turn.offers(tool)) return { text: missingTool(tool) };
    return { text: before, calls: [{ name: tool, input }] };
  };
}
