// A page that shows what happens, and is closed; the answer comes later, in another process.
import { answers, defineTool, openChat } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import { readEvents, toResponse } from 'hitl/web';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';

const publish = defineTool(
  { name: 'publish', description: 'Publishes.', input: z.object({ title: z.string() }), needsApproval: true },
  ({ title }) => `published ${title}`,
);
const model = scriptedModel([
  { text: 'I have a title.', tools: [{ name: 'publish', input: { title: 'Spring' } }] },
  'It is out.',
]);
const store = await mkdtemp(path.join(tmpdir(), 'hitl-streaming-'));
const options = { store, model, tools: [publish] };

/** The server, in the morning. */
async function morning(): Promise<string> {
  await using chat = await openChat(options);
  for await (const event of readEvents(toResponse(chat.say('Publish something')))) {
    if (event.type === 'text-delta') process.stdout.write(event.text);
    if (event.type === 'rested') console.log('', event.result.type);
  }
  return chat.id;
}

const id = await morning();
await using chat = await openChat(id, options);
for (const question of chat.open) console.log((await chat.answer(answers.restart(question))).text);
