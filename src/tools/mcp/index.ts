export type { ServerQuestion } from './elicitation.js';
export { readQuestion } from './elicitation.js';
export type { McpConnection } from './connection.js';
export type { OfferedPrompt } from './prompts.js';
export type { ServersOptions, ServerState } from './servers.js';
export { McpServers } from './servers.js';
export type { McpAddress, McpProgram, McpServer } from './server.js';
export { reachedBy } from './server.js';
