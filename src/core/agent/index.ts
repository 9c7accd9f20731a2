export type { AgentFingerprint, ToolDescriptor } from './agent.js';
export { describeTool, toolDigest } from './descriptor.js';
export type { McpOrigin } from './mcp.js';
export { isMcpServerName, mcpHints, mcpToolName } from './mcp.js';
export type { SessionMode } from './session-mode.js';
