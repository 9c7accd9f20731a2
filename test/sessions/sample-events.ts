export * from '../../src/testing/store/sample-events.js';
