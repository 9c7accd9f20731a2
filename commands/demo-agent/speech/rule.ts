import type { JsonObject } from '../../../src/core/index.js';
import { missingTool, notDone } from './say.js';
import type { DemoReply, DemoTurn, DoneCall } from './turn.js';

/** Continues a request. */
export type Plan = (turn: DemoTurn) => DemoReply;

/** One skill of the demo model: a plan for a text, or nothing. */
export type Rule = (said: string) => Plan | undefined;

/** The results of a tool in this turn, in source order. */
export function callsOf(turn: DemoTurn, tool: string): readonly DoneCall[] {
  return turn.rounds.flat().filter(({ name }) => name === tool);
}

export interface Job {
  readonly tool: string;
  readonly input: JsonObject;
  /** Said with the call. */
  readonly before: string;
  /** The call, for a sentence about it: `the command \`ls\``. */
  readonly what: string;
  /** Reports a result; its input is what ran, possibly edited. */
  readonly report: (call: DoneCall) => string;
}

/** A plan with one call and its report. */
export function oneCall({ tool, input, before, what, report }: Job): Plan {
  return (turn) => {
    const done = callsOf(turn, tool).at(-1);
    if (done !== undefined) return { text: done.isError ? notDone(done, what) : report(done) };
    if (!turn.offers(tool)) return { text: missingTool(tool) };
    return { text: before, calls: [{ name: tool, input }] };
  };
}
