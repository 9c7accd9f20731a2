// Writes the JSON Schemas that the package publishes from the zod schemas of core, of graph files and of configurations: tsx scripts/make-schemas.ts
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import * as z from 'zod';

import { formatted } from './formatted.mjs';
import { publishedConfigSchema } from './published-config-schema.js';
import {
  answersEntrySchema,
  errorDocumentSchema,
  interruptSchema,
  jsonObjectSchema,
  resultDocumentSchema,
  streamEventSchema,
  transcriptDocumentSchema,
} from '../src/core/told/schemas.js';
import type { Expectations } from '../src/graph/index.js';
import { graphFileSchema } from '../src/graph/file/graph-file-schema.js';
import { serverDescription } from '../src/server/index.js';

const folder = fileURLToPath(new URL('../schemas/', import.meta.url));

/** The shape of a file for `--expect`, as `readExpectations` reads it. */
const expectationsSchema = z.strictObject({
  $schema: z.string().describe('For editors').exactOptional(),
  path: z
    .array(z.string())
    .describe('Every node that counts, in the order in which they ran')
    .exactOptional(),
  state: jsonObjectSchema
    .describe('Keys of the final state, with their values; others may be there too')
    .exactOptional(),
} satisfies Readonly<Record<keyof Expectations | '$schema', z.ZodType>>);

const published: Readonly<Record<string, { readonly title: string; readonly schema: z.ZodType }>> = {
  'result.schema.json': {
    title: 'What `hitl ... --output-format json` prints: a result, or an error where there was no session',
    schema: z.union([resultDocumentSchema, errorDocumentSchema]),
  },
  'stream-event.schema.json': {
    title:
      'One line of `hitl ... --output-format stream-json`: an event, or an error where there was no session',
    schema: z.union([streamEventSchema, errorDocumentSchema]),
  },
  'transcript.schema.json': {
    title: 'transcript.json, and what `hitl export` writes',
    schema: transcriptDocumentSchema,
  },
  'interrupt.schema.json': {
    title: 'A point at which a session waits for a person',
    schema: interruptSchema,
  },
  'graph.schema.json': { title: 'A graph in a YAML or JSON file', schema: graphFileSchema() },
  'expectations.schema.json': {
    title: 'A file for `hitl run --expect`: what the run of a workflow should have done',
    schema: expectationsSchema,
  },
  'config.schema.json': {
    title: 'A configuration: `config.json` of your own, `hitl.config.json` of a project',
    schema: publishedConfigSchema(),
  },
  'answer.schema.json': { title: 'One entry of a file for `--answers`', schema: answersEntrySchema },
};

/** The text of every published schema by file name, formatted as the files of the project are. */
export async function schemaFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const [name, { title, schema }] of Object.entries(published)) {
    const path = `${folder}${name}`;
    // What comes in, not what a parse makes of it: readers of a document must bear members they do not know.
    const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
    const text = JSON.stringify({ $schema, title, ...rest });
    files.set(name, await formatted(path, text));
  }
  const path = `${folder}openapi.json`;
  const text = JSON.stringify(serverDescription('0'));
  files.set('openapi.json', await formatted(path, text));
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of await schemaFiles()) await writeFile(`${folder}${name}`, text);
}
