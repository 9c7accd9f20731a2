export { askAtOnce } from './ask-at-once.js';
export type { RunServers } from './start-servers.js';
export { startServers, tellNotices } from './start-servers.js';
export type { AttachedResources } from './attached-resources.js';
export { attachedResources } from './attached-resources.js';
export { configuredServers } from './configured-servers.js';
export type { ProjectServers } from './project-servers.js';
export { projectServers } from './project-servers.js';
export { trustedServers } from './trusted-servers.js';
