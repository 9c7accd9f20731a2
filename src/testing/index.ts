export type { ScriptedModel, ScriptedModelOptions, ScriptedRequest, ScriptReply } from '../models/index.js';
export { scriptedModel } from '../models/index.js';
