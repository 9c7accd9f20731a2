import type { RunFlags } from '../flags/options.js';

/** Returns the notices about an unsaved session. */
export function unsavedNotices({ save }: Pick<RunFlags, 'save'>): readonly string[] {
  return save ? [] : ['This session is not saved (--no-save)'];
}
