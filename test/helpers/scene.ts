import { AppendList, toolRef } from '../../src/core/index.js';
import type { CallScene } from '../../src/core/index.js';

/** The surroundings of a call where no session runs. */
export const SCENE: CallScene = {
  ref: toolRef('r1'),
  sessionId: 's1',
  messages: AppendList.of([]),
  context: undefined,
};
