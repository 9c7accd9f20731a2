import type { Clock } from '../core/index.js';
import type { CreatedModel, CreateModelOptions as Access } from '../models/index.js';
import { createModel as createModelWith } from '../models/index.js';
import { systemClock } from './system-clock.js';

/** The access that `createModel` has: keys, a server, aliases, clock and chance. */
export interface CreateModelOptions extends Omit<Access, 'clock'> {
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
}

/**
 * Makes the model that a spec names.
 * @throws HitlError USAGE for an unknown spec, the demo model or a file that cannot be read, BAD_SCRIPT or BAD_TRANSCRIPT for its
 * content, BAD_CONFIG for a provider without a key or with a bad address.
 */
export function createModel(
  spec: string,
  { clock = systemClock, ...options }: CreateModelOptions = {},
): Promise<CreatedModel> {
  return createModelWith(spec, { ...options, clock });
}
