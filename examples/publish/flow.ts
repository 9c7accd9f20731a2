import { graph, toolSet } from 'hitl';

import { functions, text, tools } from './parts.js';

// draft → review → publish: an agent whose tool needs approval, a person who decides, and an effect that happens once.
export default graph('publish')
  .agent('draft', {
    system: 'You write short, friendly notes to customers. Look prices up; never guess them.',
    tools: toolSet(tools),
    prompt: ({ input }) => `Write a note: ${text(input)}`,
  })
  .human('review', {
    question: ({ draft = null }) => ({
      prompt: 'Publish this note?',
      payload: { draft },
      schema: { enum: ['publish', 'again', 'drop'] },
    }),
  })
  .fn('publish', functions.publish, {
    gate: { before: true, prompt: 'The note goes out to customers now.' },
  })
  .fn('drop', functions.drop, { effect: 'none' })
  .edge('draft', 'review')
  .edge('review', 'publish', { when: "state.review == 'publish'" })
  .edge('review', 'draft', { when: "state.review == 'again'" })
  .edge('review', 'drop', { priority: 0 })
  .end('publish', 'drop')
  .build();
