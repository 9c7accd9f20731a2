export type { Measured } from './metrics-route.js';
export { metricsRoute } from './metrics-route.js';
export { Requests } from './requests.js';
