export type * from './clock.js';
export type * from './human.js';
export type * from './model.js';
export type * from './renderer.js';
export type * from './session.js';
export type * from './store.js';
export type * from './tool.js';
