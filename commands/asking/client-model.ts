import type { JsonObject, Model, ModelEvent, ModelReply, ModelRequest } from '../../src/core/index.js';
import { textPart, toolRef } from '../../src/core/index.js';
import { refMinter, replyCount, streamReply } from '../../src/models/index.js';
import { CLIENT_MODEL } from './standing.js';

const FREE = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
const CLOSING = 'The program that asked reads the answer from this session. Other text is ignored.';

/** The tool call that asks another program's question. */
interface AskingCall {
  readonly name: string;
  readonly input: JsonObject;
}

/**
 * Creates the model for a session that asks another program's question. Its first reply makes the call, if
 * one is passed. Every other reply is a closing sentence.
 */
export function clientModel(call?: AskingCall): Model {
  const replyTo = (request: ModelRequest): ModelReply => {
    if (call === undefined || replyCount(request.messages) > 0)
      return { content: [textPart(CLOSING)], end: 'stop', usage: FREE };
    const ref = toolRef(refMinter(request)(0));
    return { content: [{ type: 'tool-request', ref, ...call }], end: 'tool-use', usage: FREE };
  };
  return {
    id: CLIENT_MODEL,
    generate: (request, signal): AsyncIterable<ModelEvent> =>
      streamReply(replyTo(request), undefined, signal),
  };
}
