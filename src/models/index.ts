export type { AiSdkCall, AiSdkModel, AiSdkStream } from './ai-sdk/index.js';
export { createAiSdkModel, LONG_SILENCE_MS } from './ai-sdk/index.js';
export type { ScriptedModel, ScriptedModelOptions, ScriptedRequest } from './scripted-model.js';
export { scriptedModel } from './scripted-model.js';
export type {
  ScriptCondition,
  ScriptError,
  ScriptReply,
  ScriptResultCondition,
  ScriptToolRequest,
} from './script-reply.js';
export type { ChooseModelOptions } from './choose-model.js';
export { chooseModel } from './choose-model.js';
export { checkModel } from './check-model.js';
export { DEFAULT_ANTHROPIC_MODEL, parseModelSpec } from './model-spec.js';
export { KNOWN_MODELS, listedModel } from './anthropic/known-models.js';
export { probeOllama } from './probe-ollama.js';
export { recordedModel } from './recorded.js';
export type { OfferedModel } from './anthropic/list-models.js';
export type { CreatedModel } from './created-model.js';
export type { CreateModelOptions } from './registry.js';
export { createModel } from './registry.js';
export type { ModelMiddleware } from './wrap-model.js';
export { wrapModel } from './wrap-model.js';
export { anthropicBody } from './anthropic/export-messages.js';
export { refMinter, replyCount, toolResponsesOf } from './request-facts.js';
export { streamReply } from './stream-reply.js';
