export { checkJson, checkPatch } from './check-state.js';
export type { Branch } from './merge.js';
export { mergeBranches } from './merge.js';
export { reducePatch } from './patch.js';
export type { CustomReducer, Reducer, Reducers } from './reducers.js';
export { builtinReducers, BUILTIN_REDUCERS, isReducer, reducerOf } from './reducers.js';
