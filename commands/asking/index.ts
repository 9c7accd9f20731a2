export { clientModel } from './client-model.js';
export type { AskingTool, Question } from './questions.js';
export { Questions } from './questions.js';
export type { Standing } from './standing.js';
export { CLIENT_MODEL, isOfProgram } from './standing.js';
