import type { SessionEvent, TransientEvent } from '../../core/index.js';

/** Sees what a run tells, each durable event after it was kept; never what was told before. */
export type RunObserver = (event: SessionEvent | TransientEvent) => void;
