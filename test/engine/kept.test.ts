import { describe, expect, test } from 'vitest';

import { openInterrupts, waysAt } from '../../src/core/index.js';
import { defineTool } from '../../src/tools/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { answer, calls, drive, scene, toolOutputs } from './drive.js';

describe('a question of a body that keeps something for itself', () => {
  const book = defineTool({ name: 'book', description: 'Books.' }, (_input, context) => {
    if (context.resumed !== undefined) return context.resumed;
    return context.interrupt(
      { message: 'Which day?' },
      { kind: 'question', answerSchema: { type: 'string' }, kept: { page: 3 } },
    );
  });

  test('goes on in the body with the answer and what it kept, and the answer is not its output', async () => {
    const options = scene({ replies: [calls(['book', {}]), 'done'], tools: [book] });
    const asked = await drive(stateAfter(userSaid('hi')), options);
    const [question] = openInterrupts(asked.state);
    expect(question).toMatchObject({ kind: 'question', kept: { page: 3 } });
    expect(waysAt(question!).map(({ help }) => help)).toContain('the tool goes on with what you say');
    const done = await drive(answer(asked.state, { action: 'respond', output: 'Monday' }), options);
    expect(toolOutputs(done.state)).toEqual([{ answer: 'Monday', kept: { page: 3 } }]);
    expect(done.events.filter(({ type }) => type === 'tool-started')).toMatchObject([{ attempt: 2 }]);
  });
});
