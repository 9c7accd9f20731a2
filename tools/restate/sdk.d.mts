import type { RestateSdk } from '../../src/restate/index.js';

/** The SDK of Restate, as far as it is used. */
export declare const sdk: RestateSdk;
