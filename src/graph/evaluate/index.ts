export type { Evaluation, Score, Verdict } from './evaluate-run.js';
export { evaluateRun } from './evaluate-run.js';
export type { Expectations } from './expectations.js';
export { readExpectations } from './expectations.js';
