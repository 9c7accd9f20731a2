import * as z from 'zod';

import type { ApprovalRequest, JsonObject, JsonValue, Tool, ToolContext } from '../../src/core/index.js';
import { isJsonObject } from '../../src/core/index.js';
import { defineTool } from '../../src/tools/index.js';

/** What decides beside the input what a call does. It changes while nobody looks. */
export interface World {
  readonly target: number;
  /** A warning more is said. */
  readonly isOdd: boolean;
  /** The gate of `maybe` asks. */
  readonly isWatched: boolean;
  /** The tools of another version have another schema. */
  readonly version: number;
  /** The tools have other bodies. */
  readonly code: number;
}

export const FIRST_WORLD: World = { target: 0, isOdd: false, isWatched: false, version: 0, code: 0 };

/** One tool of each kind of question: a gate that says much or nothing, a gate that may not ask, a body that asks, both. */
export const NAMES = ['write', 'plain', 'maybe', 'send', 'both'] as const;
export type Name = (typeof NAMES)[number];

/** How long an approval of each tool counts, in milliseconds; `undefined`: it has no end. */
export const LASTS: Readonly<Record<Name, number | undefined>> = {
  write: 60_000,
  plain: undefined,
  maybe: 60_000,
  send: undefined,
  both: 60_000,
};

/** Told of each body that is entered, before it does anything. */
export type Entered = (name: Name, input: JsonValue, context: ToolContext) => void;

/** What a gate says of an input now; `undefined` where it does not ask. */
export function gateOf(name: Name, input: JsonValue, world: World): ApprovalRequest | undefined {
  const { path = '', n = 0 } = isJsonObject(input) ? input : {};
  const said: ApprovalRequest = {
    reason: `writes ${JSON.stringify(path)}`,
    facts: { target: `${JSON.stringify(path)} at ${world.target}` },
    diff: `+${JSON.stringify(n)}`,
    ...(world.isOdd && { warnings: ['this is odd'] }),
  };
  switch (name) {
    case 'write':
    case 'both':
      return said;
    case 'plain':
      return {};
    case 'maybe':
      return world.isWatched ? said : undefined;
    case 'send':
      return undefined;
  }
}

/** Whoever uses the tools now. */
export interface ToolUser {
  readonly world: World;
  readonly entered: Entered;
}

/** The tools of every version, made once: schemas are dear. */
export class PlanTools {
  readonly #made = new Map<number, readonly Tool[]>();
  user: ToolUser | undefined;

  of(version: number): readonly Tool[] {
    const made = this.#made.get(version) ?? this.#make(version);
    this.#made.set(version, made);
    return made;
  }

  get #user(): ToolUser {
    if (this.user === undefined) throw new Error('nobody uses the tools');
    return this.user;
  }

  #make(version: number): readonly Tool[] {
    const input = z.object({
      path: z.string(),
      n: z.number().min(1).default(1),
      ...(version > 0 && { [`mode${version}`]: z.string().optional() }),
    });
    return NAMES.map((name) =>
      defineTool<JsonObject, JsonValue>(
        {
          name,
          description: `Does ${name}.`,
          input: input,
          effect: name === 'maybe' || name === 'plain' ? 'none' : 'once',
          ...(name !== 'send' && { approval: (given) => gateOf(name, given, this.#user.world) }),
          ...(LASTS[name] !== undefined && { approvalLasts: `${LASTS[name]}ms` }),
        },
        (given, context) => {
          this.#user.entered(name, given, context);
          const asks = name === 'send' || name === 'both';
          return asks && context.resumed === undefined ? context.interrupt({ sure: given }) : 'done';
        },
      ),
    );
  }
}
