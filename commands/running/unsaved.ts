import type { RunFlags } from '../flags/options.js';

/** Lines to say about a session that is kept nowhere. */
export function unsavedNotices({ save }: Pick<RunFlags, 'save'>): readonly string[] {
  return save ? [] : ['This session is not saved (--no-save)'];
}
