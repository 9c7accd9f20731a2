// An agent that decides itself when it is done: the output of the tool that ends the run has the tool's type.
import { defineTool, generate } from 'hitl';
import { scriptedModel } from 'hitl/testing';
import * as z from 'zod';

const report = z.object({ severity: z.enum(['low', 'high']), summary: z.string() });
const finish = defineTool(
  { name: 'finish', description: 'Hands the report in.', input: report, output: report, endsRun: true },
  (input) => input,
);
const model = scriptedModel([
  { tools: [{ name: 'finish', input: { severity: 'low', summary: 'A full disk.' } }] },
]);

const { output } = await generate({ model, tools: [finish], prompt: 'Look into the alert' });
console.log(output?.severity, output?.summary);
