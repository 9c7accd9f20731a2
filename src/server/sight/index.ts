export type { Listed } from './cursor.js';
export { Followers } from './follow.js';
export type { SeenQuestion } from './sight.js';
export { lacking, Looks, Sight } from './sight.js';
