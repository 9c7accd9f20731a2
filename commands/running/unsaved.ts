import type { RunFlags } from '../flags/options.js';

/** Returns a notice if the session is not saved. */
export function unsavedNotices({ save }: Pick<RunFlags, 'save'>): readonly string[] {
  return save ? [] : ['This session is not saved (--no-save)'];
}
