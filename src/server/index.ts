// `hitl/server`: a server by which people and programs look at what waits and answer it. Its packages are optional, and
// loaded when a server is made.
export { readRoles, readTokenFile } from './doors/index.js';
export type { Access, HeaderFamily, ProxyAccess, Role, SignIns, TokenHolder } from './doors/index.js';
export type { ListenOptions, Listening, MakeServer } from './listen.js';
export { listen } from './listen.js';
export type { ServedAgent } from './running/index.js';
export type { SlackDoor } from './slack/index.js';
export type { HitlServer, ServerOptions } from './server.js';
export { createServer, serverDescription } from './server.js';
export type { Probed } from './probe.js';
export { listenForProbes } from './probe.js';
export { isLoopback, loopbackHosts, ownHost } from './doors/index.js';
