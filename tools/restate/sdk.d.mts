import type { RestateSdk } from '../../sessions/index.js';

/** The SDK of Restate, as far as it is used. */
export declare const sdk: RestateSdk;
