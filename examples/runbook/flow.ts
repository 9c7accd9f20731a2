import type { JsonValue } from 'hitl';
import { graph, toolSet } from 'hitl';

import { functions, tools } from './parts.js';

const named = (name: string) => {
  const tool = toolSet(tools).get(name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
};
const service = ({ input = null }: Readonly<Record<string, JsonValue>>) => ({ service: input });

// look → decide → act → verify: a person decides and approves each step, looks again (`rerun`), takes a decision back
// (`go-back decide`), or leaves (`cancel`).
export default graph('runbook')
  .tool('look', { tool: named('check_service'), input: service })
  .human('decide', {
    question: ({ look = null }) => ({
      prompt: 'What is to be done?',
      payload: { look },
      schema: { enum: ['restart', 'roll_back', 'wait'] },
    }),
  })
  .choose('act', {
    select: ({ decide }) => (typeof decide === 'string' ? decide : ''),
    candidates: {
      restart: { kind: 'tool', tool: named('restart_service'), input: service },
      roll_back: { kind: 'tool', tool: named('roll_back'), input: service },
      wait: { kind: 'function', run: functions.wait, effect: 'none' },
    },
  })
  .tool('verify', {
    tool: named('check_service'),
    input: service,
    gate: { after: true, prompt: 'rerun looks again, go-back decide takes the decision back.' },
  })
  .fn('close', functions.close, { effect: 'none' })
  .edge('look', 'decide')
  .edge('decide', 'act')
  .edge('act', 'verify')
  .edge('verify', 'close', { when: 'state.verify.healthy' })
  .edge('verify', 'decide', { priority: 0 })
  .end('close')
  .build();
