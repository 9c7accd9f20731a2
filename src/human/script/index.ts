export type { Line, LineInput, LineSource } from './line-source.js';
export { createLineSource, noLines } from './line-source.js';
export type { ScriptedInput, ScriptedInputOptions } from './scripted.js';
export { createScriptedInput } from './scripted.js';
export { TextLines } from './scripted-lines.js';
