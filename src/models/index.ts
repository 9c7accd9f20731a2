export type { DemoModelOptions } from './demo/index.js';
export { createDemoModel } from './demo/index.js';
export type { ScriptedModel, ScriptedModelOptions, ScriptedRequest } from './scripted.js';
export { scriptedModel } from './scripted.js';
export type {
  ScriptCondition,
  ScriptError,
  ScriptReply,
  ScriptResultCondition,
  ScriptToolRequest,
} from './script-reply.js';
