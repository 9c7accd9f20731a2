import type { CallScene } from '../../src/core/index.js';
import { AppendList, toolRef } from '../../src/core/index.js';

/** A scene without a session. */
export const NO_SCENE: CallScene = {
  ref: toolRef('no-session'),
  sessionId: '',
  messages: AppendList.of([]),
  context: undefined,
};
