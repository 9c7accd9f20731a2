import { expect, test } from 'vitest';

import type { AgentFingerprint } from '../../src/core/index.js';
import { fold } from '../../src/core/index.js';

/** The mode of a session behind an opening that another person or program wrote. */
function modeBehind(agent: AgentFingerprint): unknown {
  const created = { type: 'session-created', agent } as const;
  return fold([created, { type: 'approvals-voided' }]).agent?.mode;
}

test.for([
  ['accept-edits', undefined],
  ['auto', undefined],
  ['read-only', 'read-only'],
] as const)('of the mode %s in a session from elsewhere %s is left', ([mode, left]) => {
  expect(modeBehind({ model: 'demo', tools: [], mode })).toBe(left);
});
