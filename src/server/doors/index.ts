export { Cookies } from './cookie.js';
export type { Admitted } from './doors.js';
export { Doors } from './doors.js';
export { secured } from './headers.js';
export { isLoopback, isUnsafe, loopbackHosts } from './origin.js';
export { readTokenFile } from './token-file.js';
export type { Access, Person, Visitor } from './visitor.js';
