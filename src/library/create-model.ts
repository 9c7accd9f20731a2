import type { Clock } from '../core/index.js';
import type { CreatedModel, CreateModelOptions as Access } from '../models/index.js';
import { createModel as createModelWith } from '../models/index.js';
import { systemClock } from './system-clock.js';

/** Options for `createModel`: keys, a server, aliases, clock and random source. */
export interface CreateModelOptions extends Omit<Access, 'clock'> {
  /** Clock to use. Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Creates a model from a spec.
 * @throws HitlError USAGE for an unknown spec, the demo model or an unreadable file; BAD_SCRIPT or
 * BAD_TRANSCRIPT for a file with invalid content; BAD_CONFIG for a missing key or an invalid URL.
 */
export function createModel(
  spec: string,
  { clock = systemClock, ...options }: CreateModelOptions = {},
): Promise<CreatedModel> {
  return createModelWith(spec, { ...options, clock });
}
