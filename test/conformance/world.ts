import type {
  Clock,
  JsonValue,
  Model,
  ModelEvent,
  ModelReply,
  ModelRequest,
  Message,
  Tool,
} from '../../src/core/index.js';
import type { GenerateResponse } from '../../src/engine/index.js';
import type { Ran } from './case.js';

/** Everything outside the engine that a scenario can look at. */
export class World {
  readonly ran: Ran[] = [];
  /** The messages of each request that the model was sent. */
  readonly requests: (readonly Message[])[] = [];
  readonly responses: GenerateResponse[] = [];
  readonly errors: unknown[] = [];
  /** What tools and hooks noted beside. */
  readonly notes: string[] = [];
  stop = new AbortController();

  /** The tool, with a note of every entry into its body. */
  watch(tool: Tool): Tool {
    return {
      ...tool,
      execute: async (input, context) => {
        this.#enter(tool.name, input, context);
        return tool.execute(input, context);
      },
    };
  }

  #enter(tool: string, input: JsonValue, context: { resumed?: JsonValue; originalInput?: JsonValue }): void {
    const { resumed, originalInput } = context;
    this.ran.push({
      tool,
      input,
      ...(resumed !== undefined && { resumed }),
      ...(originalInput !== undefined && { originalInput }),
    });
  }
}

/** A model that plays whole replies by their position in the conversation. */
export function replayModel(replies: readonly ModelReply[], world: World): Model {
  return {
    id: 'replay',
    async *generate(request: ModelRequest): AsyncGenerator<ModelEvent, void> {
      const messages = request.messages.toArray();
      world.requests.push(messages);
      const position = messages.filter(({ role }) => role === 'model').length;
      const reply = replies[position];
      if (reply === undefined) throw new Error(`no reply at position ${position}`);
      for (const part of reply.content) {
        if (part.type === 'text') yield { type: 'text-delta', text: part.text };
      }
      yield { type: 'reply', reply };
    },
  };
}

/** A clock that stands still: nothing in the cases depends on time. */
export const STILL: Clock = {
  now: () => Date.UTC(2026, 0, 1),
  sleep: (_ms, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    }),
};
