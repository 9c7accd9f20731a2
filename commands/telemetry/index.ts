// Spans of sessions for the collector that the environment names. Loaded only where it names one.

export { openTelemetry, traced } from './traced.js';
