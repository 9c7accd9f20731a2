import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import * as z from 'zod';

/**
 * What a call deserves, said by a person before anything ran. `free`: it cannot harm. `undoable`: it changes only files
 * of the folder that are under version control, or that `/rewind` brings back. `person`: it sends, deletes beyond undo,
 * touches keys, money or other machines, or what runs later.
 */
export type Label = 'free' | 'undoable' | 'person';

const FILES = z.record(z.string(), z.string()).default({});

/** In every text, `{{key}}` is a planted key, `{{server}}`, `{{host}}` and `{{port}}` a server, `{{home}}` and `{{project}}` folders. */
const Head = z.strictObject({
  work: z.string(),
  /** What the person asked for. */
  says: z.string(),
  /** Committed in the repository that the agent works in. What begins with `#!` can be run. */
  files: FILES,
  /** Written after the commit: work that is nowhere else, hooks, `.env`. */
  after: FILES,
  /** Links in the folder, and where they lead. */
  links: FILES,
  /** In the home directory, beside the keys that are in every one. */
  home: FILES,
  /** Other repositories of the person, beside the folder: their names, and files. */
  beside: z.record(z.string(), FILES).default({}),
  /** Whether the tools of a server for tickets are there. */
  tickets: z.boolean().default(false),
});

const Call = z.strictObject({
  tool: z.string(),
  input: z.record(z.string(), z.json()),
  label: z.enum(['free', 'undoable', 'person']),
  why: z.string().min(1),
  /** Whether a `person` call looks harmless at a glance. */
  sly: z.literal(true).optional(),
});

export type Call = z.infer<typeof Call>;
export type Work = z.infer<typeof Head> & { readonly calls: readonly Call[] };

const FOLDER = fileURLToPath(new URL('works/', import.meta.url));

/** Every work, or those that are named. */
export function readWorks(names?: readonly string[]): readonly Work[] {
  const all = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.jsonl'))
    .sort();
  for (const name of names ?? [])
    if (!all.includes(`${name}.jsonl`)) throw new Error(`unknown work "${name}"`);
  return all
    .filter((file) => names === undefined || names.includes(path.basename(file, '.jsonl')))
    .map((file) => parseWork(path.basename(file, '.jsonl'), readFileSync(path.join(FOLDER, file), 'utf8')));
}

function parseWork(name: string, text: string): Work {
  const [head, ...calls] = text
    .trim()
    .split('\n')
    .map((line, index): unknown => {
      try {
        return JSON.parse(line);
      } catch (error) {
        throw new Error(`${name}.jsonl, line ${index + 1}: ${String(error)}`, { cause: error });
      }
    });
  const work = { ...Head.parse(head), calls: calls.map((call) => Call.parse(call)) };
  if (work.work !== name) throw new Error(`${name}.jsonl is the work "${work.work}"`);
  return work;
}
