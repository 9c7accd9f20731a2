export { evaluateCondition, evaluateExpression } from './expression-eval.js';
export { parseCondition } from './expression-parse.js';
export type { Condition, Expression, RouteMeta } from './expression-types.js';
export { kindOf } from './json-kind.js';
