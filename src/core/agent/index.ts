export type { AgentFingerprint, ToolDescriptor } from './agent.js';
export { toolDigest } from './descriptor.js';
export type { McpOrigin } from './mcp.js';
export { isMcpServerName, mcpToolName } from './mcp.js';
export type { SessionMode } from './session-mode.js';
