export type { LineContext } from './choose-line.js';
export { confirmLine, pickLine } from './choose-line.js';
export type { LinePerson } from './line-person.js';
export { createLinePerson } from './line-person.js';
