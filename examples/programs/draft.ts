// A person edits what is sent: the tool runs with the new input, and the model is told.
import { defineTool, openChat } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import * as z from 'zod';

const send = defineTool(
  {
    name: 'send_mail',
    description: 'Sends a mail.',
    input: z.object({ to: z.string(), text: z.string() }),
    output: z.string(),
    needsApproval: true,
  },
  ({ to, text }) => `to ${to}: ${text}`,
);
const model = scriptedModel([
  { tools: [{ name: 'send_mail', input: { to: 'Ada', text: 'Pay at once!' } }] },
  'Sent.',
]);

await using chat = await openChat({ model, tools: [send] });
await chat.say('Remind Ada of the invoice');
for (const draft of chat.open) {
  if (!send.owns(draft)) continue;
  const { to } = draft.source.input;
  const input = { to, text: 'A friendly reminder.' };
  for await (const event of chat.answer(send.restart(draft, { input }))) {
    if (event.type === 'tool-settled' && event.outcome.type === 'output') console.log(event.outcome.output);
  }
}
