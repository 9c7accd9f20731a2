export { runBodyNode } from './body.js';
export { runComposite } from './composite.js';
export { humanBody } from './human.js';
export { runInside } from './run-inside.js';
export { toolRun } from './tool.js';
export { agentOptions, replyOutput, withCode } from './agent.js';
