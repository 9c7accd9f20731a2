export type { Agent } from './agent.js';
export { UNCHOSEN_MODEL, composeAgent } from './agent.js';
export type { ChosenModel } from './choose-model.js';
export { accessTo, chosenModel } from './choose-model.js';
export { flowFile, loadFlow } from './load-flow.js';
export type { ModelName } from './model-words.js';
export { modelWords, nameOf } from './model-words.js';
export { offeredTools } from './offered-tools.js';
