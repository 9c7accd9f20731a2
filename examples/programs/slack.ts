// A bot: a question becomes a message with two buttons, and whoever presses one decides. Nothing waits in memory.
import { answers, defineTool, isHitlError, openChat, openStore } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';

const deploy = defineTool(
  { name: 'deploy', description: 'Deploys.', input: z.object({ version: z.string() }), needsApproval: true },
  ({ version }) => `deployed ${version}`,
);
const model = scriptedModel([{ tools: [{ name: 'deploy', input: { version: '1.4' } }] }, '1.4 is out.']);
const store = openStore(await mkdtemp(path.join(tmpdir(), 'hitl-slack-')));
const options = { store, model, tools: [deploy] };

/** Somebody wrote to the bot: the values of the buttons are all that is needed later. */
async function onMessage(text: string) {
  await using chat = await openChat(options);
  await chat.say(text);
  return chat.open.map(({ id, digest }) => ({ session: chat.id, id, digest }));
}

/** Somebody pressed a button; `user` is whom Slack's signature names. */
async function onButton(
  { session, ...asked }: { session: string; id: string; digest: string },
  user: string,
) {
  const by = { type: 'person', name: user, via: 'library' } as const;
  await using chat = await openChat(session, options);
  const end = await chat.answer(answers.read({ ...asked, resolution: { action: 'restart' } }, { by }));
  return end.text;
}

const [button] = await onMessage('Deploy 1.4');
if (button === undefined) throw new Error('no one was asked');
console.log(await onButton(button, 'ada'));
console.log(await onButton(button, 'bob').catch((thrown: unknown) => isHitlError(thrown) && thrown.code));
