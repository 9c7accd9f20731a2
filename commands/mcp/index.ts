export { askAtOnce } from './ask-at-once.js';
export type { RunServers } from './start-servers.js';
export { startServers, tellNotices } from './start-servers.js';
export { trustedServers } from './trusted-servers.js';
