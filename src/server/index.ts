// `hitl/server`: a server by which people and programs look at what waits and answer it. Its packages are optional, and
// loaded when a server is made.
export { readRoles } from './doors/visitor.js';
export { readTokenFile } from './doors/token-file.js';
export type { Access, HeaderFamily, ProxyAccess, Role, TokenHolder } from './doors/visitor.js';
export type { SignIns } from './doors/cookie.js';
export type { ListenOptions, Listening, MakeServer } from './listen.js';
export { listen } from './listen.js';
export type { ServedAgent } from './running/served-agent.js';
export type { ProgramQuestion, QuestionOutcome, ServedQuestions } from './running/served-questions.js';
export type { SlackDoor } from './slack/slack-route.js';
export type { HitlServer, ServerOptions } from './server.js';
export { createServer, serverDescription } from './server.js';
export type { Probed } from './probe.js';
export { listenForProbes } from './probe.js';
export { isLoopback, loopbackHosts, ownHost } from './doors/origin.js';
