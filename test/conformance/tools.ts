import * as z from 'zod';

import type { JsonObject, JsonValue, Tool } from '../../src/core/index.js';
import { defineInterrupt, defineTool } from '../../src/tools/index.js';

// The standard tools of the cases.

const anything: JsonObject = {};

/** Returns its input. */
export function echo(name = 'echo'): Tool {
  return defineTool<JsonValue, JsonValue>(
    { name, description: 'Returns what it is given.', input: anything, effect: 'none' },
    (input) => input,
  );
}

/** Only asks; the reply is an object with an answer. */
export function ask(name = 'ask'): Tool {
  return defineInterrupt({
    name,
    description: 'Asks the person.',
    input: anything,
    output: z.object({ answer: z.string() }),
  });
}

/** Asks before it pays, unless it is restarted. */
export function pay(name = 'pay') {
  return defineTool(
    { name, description: 'Pays.', input: z.object({ amount: z.number() }), output: z.string() },
    ({ amount }, context) => {
      if (context.resumed === undefined) return context.interrupt({ confirm: amount });
      return `paid ${amount}`;
    },
  );
}

/** Interrupts with a payload, or with nothing, until it is restarted; returns what the restart passed on. */
export function asking(name: string, payload?: JsonValue): Tool {
  return defineTool<JsonValue, JsonValue>(
    { name, description: 'Asks until it is restarted.', input: anything },
    (_input, context) => {
      if (context.resumed === undefined) return context.interrupt(payload);
      return { resumed: context.resumed };
    },
  );
}

/** Fails if it is ever run. */
export function never(name = 'never'): Tool {
  return defineTool<JsonValue, JsonValue>({ name, description: 'Never runs.', input: anything }, () => {
    throw new Error('this tool must not run');
  });
}

/** Throws. */
export function boom(name = 'boom'): Tool {
  return defineTool<JsonValue, JsonValue>({ name, description: 'Throws.', input: anything }, () => {
    throw new Error('boom went off');
  });
}

/** Returns one value, whatever it is given. */
export function constant(name: string, value: JsonValue): Tool {
  return defineTool<JsonValue, JsonValue>(
    { name, description: 'Returns one value.', input: anything, effect: 'none' },
    () => value,
  );
}
