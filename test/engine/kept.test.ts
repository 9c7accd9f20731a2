import { describe, expect, test } from 'vitest';

import { openInterrupts, waysAt } from '../../src/core/index.js';
import { checkResume } from '../../src/engine/index.js';
import { defineTool, toolSet } from '../../src/tools/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { answer, answerTo, calls, drive, scene, toolOutputs } from './drive.js';

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
    expect(waysAt(question!).map(({ help }) => help)).toContain('the tool continues with your answer');
    const done = await drive(answer(asked.state, { action: 'respond', output: 'Monday' }), options);
    expect(toolOutputs(done.state)).toEqual([{ answer: 'Monday', kept: { page: 3 } }]);
    expect(done.events.filter(({ type }) => type === 'tool-started')).toMatchObject([{ attempt: 2 }]);
  });

  test('takes no answer without its tool, which is to go on with it', async () => {
    const options = scene({ replies: [calls(['book', {}])], tools: [book] });
    const { state } = await drive(stateAfter(userSaid('hi')), options);
    const given = answerTo(openInterrupts(state)[0]!, { action: 'respond', output: 'Monday' });
    expect(await checkResume(state, [given], options.tools)).toEqual([]);
    expect(await checkResume(state, [given], toolSet([]))).toMatchObject([{ kind: 'tool-missing' }]);
  });
});
