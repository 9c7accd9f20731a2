import { appendFile } from 'node:fs/promises';
import type { JsonValue, NodeResult } from 'hitl';
import { defineTool } from 'hitl';
import * as z from 'zod';

/** Where the money goes: a file, so that this runs without a shop. */
const purchases = process.env['PURCHASES'] ?? 'purchases.txt';

const searchArchive = defineTool(
  {
    name: 'search_archive',
    description: 'Searches what we have already. Costs nothing.',
    input: z.object({ about: z.string() }),
    effect: 'none',
  },
  ({ about }) => `Our archive has one note about ${about}.`,
);

const buyArticle = defineTool(
  {
    name: 'buy_article',
    description: 'Buys an article that the archive does not have.',
    input: z.object({ title: z.string() }),
    needsApproval: true,
  },
  async ({ title }) => {
    await appendFile(purchases, `${title}\n`);
    return `The article “${title}”.`;
  },
);

type State = Readonly<Record<string, JsonValue>>;

const asText = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** A list of the state; empty where there is none. */
export const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (isList(value) ? value : []);

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

export const tools = [searchArchive, buyArticle];

export const combiners = {
  /** The findings as a list. */
  list: (findings: readonly JsonValue[]): JsonValue =>
    findings.map((finding) => `- ${asText(finding)}`).join('\n'),
};

export const functions = {
  /** The questions of a text that has `;` between them. */
  plan: ({ input }: State): NodeResult => ({
    output: asText(input)
      .split(';')
      .map((question) => question.trim())
      .filter((question) => question !== ''),
  }),
  report: ({ research }: State): NodeResult => ({ output: `What we found out:\n${asText(research)}` }),
};
