import { graph } from 'hitl';

import { functions } from './parts.js';

// A loop over tasks. Before each of them a person says whether it is done now (`y`), done with something left to do
// (`defer …`), or put off (`defer …` and `skip`, in one answer). What was deferred is shown at the end.
export default graph('todos', { reducers: { done: 'append' } })
  .fn('plan', functions.plan, { effect: 'none', outputKey: 'tasks' })
  .fn('take', functions.take, { effect: 'none' })
  .agent('work', {
    system: 'You do one task and say in one sentence what you did.',
    prompt: ({ task }) => `Do this: ${typeof task === 'string' ? task : ''}`,
    outputKey: 'done',
    gate: { before: true, prompt: 'Is this to be done now?' },
  })
  .fn('report', functions.report, { effect: 'none' })
  .edge('plan', 'take')
  .edge('take', 'work')
  .edge('work', 'take', { when: 'len(state.tasks) > 0' })
  .edge('work', 'report', { priority: 0 })
  .end('report')
  .build();
