import { graph, toolSet } from 'hitl';

import { combiners, functions, listOf, tools } from './parts.js';

// One agent for each question, all at once; two of them may wait on people while a third has finished. A person sees
// what was found before it is reported.
export default graph('research')
  .fn('plan', functions.plan, { effect: 'none', outputKey: 'questions' })
  .map('research', {
    items: ({ questions }) => listOf(questions),
    worker: {
      kind: 'agent',
      system: 'You answer one question. Look in the archive first; buy an article only if you must.',
      tools: toolSet(tools),
      prompt: ({ item }) => `Find out: ${typeof item === 'string' ? item : ''}`,
    },
    maxParallel: 3,
    reduce: combiners.list,
    gate: { after: true, prompt: 'Are these findings enough for a report?' },
  })
  .fn('report', functions.report, { effect: 'none' })
  .edge('plan', 'research')
  .edge('research', 'report')
  .end('report')
  .build();
