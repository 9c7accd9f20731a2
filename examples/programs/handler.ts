// A handler that keeps nothing: the client holds the messages. Whatever a client sends is checked before anything runs.
import type { Interrupt } from 'hitl';
import { answers, defineTool, generate, isHitlError, messagesSchema, resumeSchema } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import * as z from 'zod';

const cancel = defineTool(
  {
    name: 'cancel_order',
    description: 'Cancels.',
    input: z.object({ order: z.string() }),
    needsApproval: true,
  },
  ({ order }) => `cancelled ${order}`,
);
const model = scriptedModel([
  { tools: [{ name: 'cancel_order', input: { order: 'A7' } }] },
  'A7 is cancelled.',
]);

const Body = z.object({
  prompt: z.string().exactOptional(),
  messages: messagesSchema.exactOptional(),
  resume: resumeSchema.exactOptional(),
});

/** The handler, by the standard of fetch: of Next, Hono, Bun, Deno, a worker. */
async function handle(request: Request): Promise<Response> {
  const body = Body.safeParse(await request.json().catch(() => undefined));
  if (!body.success) return Response.json({ error: z.prettifyError(body.error) }, { status: 400 });
  try {
    const { text, messages, interrupts } = await generate({ ...body.data, model, tools: [cancel] });
    return Response.json({ text, messages, interrupts });
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    const { code, message, status } = thrown;
    const isTheirs = status === 'INVALID_ARGUMENT' || status === 'FAILED_PRECONDITION';
    return Response.json({ error: { code, message } }, { status: isTheirs ? 400 : 500 });
  }
}

const Reply = z.object({
  text: z.string(),
  messages: messagesSchema,
  interrupts: z.array(z.custom<Interrupt>()),
});
const post = (body: unknown) =>
  handle(new Request('http://here', { method: 'POST', body: JSON.stringify(body) }));

const { messages, interrupts } = Reply.parse(await (await post({ prompt: 'Cancel A7' })).json());
const restart = interrupts.map((question) => answers.restart(question));
console.log(Reply.parse(await (await post({ messages, resume: { restart } })).json()).text);
console.log((await post({ messages, resume: { restart: 'yes' } })).status);
console.log((await post({ messages, prompt: 'Well?' })).status);
