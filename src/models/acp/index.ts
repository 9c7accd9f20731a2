export type { AgentPlace, AgentProgram } from './agent-program.js';
export type { AgentRow } from './agents.js';
export { ACP, ACP_AGENTS, agentRow } from './agents.js';
export { PERMISSION_TOOL } from './asked.js';
export { keptAnswer } from './history.js';
export type { AcpSdk } from './sdk.js';
export { loadAcpSdk } from './sdk.js';
