// A question with choices: the tool asks, and the answer goes to the model.
import { defineInterrupt, openChat } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import * as z from 'zod';

const trivia = defineInterrupt({
  name: 'ask_trivia',
  description: 'Asks the player a question.',
  input: z.object({ question: z.string(), choices: z.array(z.string()) }),
  output: z.string(),
});
const model = scriptedModel([
  { tools: [{ name: 'ask_trivia', input: { question: 'Where is Oslo?', choices: ['Sweden', 'Norway'] } }] },
  'Right: Norway.',
]);

await using chat = await openChat({ model, tools: [trivia] });
await chat.say('Quiz me');
for (const asked of chat.open) {
  if (!trivia.owns(asked)) continue;
  const { question, choices } = asked.source.input;
  console.log(question, choices.join(' or '));
  const end = await chat.answer(trivia.respond(asked, choices[1] ?? ''));
  console.log(end.text);
}
