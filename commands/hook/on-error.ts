import { join } from 'node:path';
import { membersOf } from '../../src/core/index.js';
import { foundBytes } from '../../src/files/index.js';
import { readDocument } from '../config/document.js';
import type { Io } from '../host/index.js';
import { configFolder } from '../host/index.js';
import type { HooksSetting } from '../settings/kind.js';

/**
 * Returns the reply to an agent if hitl fails, as set in the user's own configuration. The setting is read
 * even if another part of the file is invalid, because an invalid configuration is one of the failures that
 * it applies to.
 */
export function onErrorHere(io: Pick<Io, 'env' | 'home'>): NonNullable<HooksSetting['onError']> {
  try {
    const bytes = foundBytes(join(configFolder(io), 'config.json'));
    if (bytes === undefined) return 'ask';
    const { hooks } = membersOf(readDocument(bytes.toString('utf8')).value);
    return membersOf(hooks)['onError'] === 'deny' ? 'deny' : 'ask';
  } catch {
    return 'ask'; // nothing in it can be read
  }
}
