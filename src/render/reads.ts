import { escapeText, isJsonObject, membersOf } from '../core/index.js';
import type { JsonValue, StartedCall, ToolOutcome } from '../core/index.js';
import { readFacts } from './result-facts.js';
import type { Drawing } from './status-line.js';
import { cutToWidth } from './width.js';

/** A file read by a call, as safe text. */
interface Read {
  readonly path: string;
  readonly facts: string;
}

/**
 * Consecutive file reads, combined into one row. The row can grow until other output follows. Until then, it
 * is redrawn if the output supports that.
 */
export class Reads {
  #reads: Read[] = [];

  /** Adds a call that read a text file; returns false for any other call. */
  add({ name, input }: Pick<StartedCall, 'name' | 'input'>, outcome: ToolOutcome): boolean {
    const read =
      name === 'read_file' && outcome.type === 'output' ? readOf(input, outcome.output) : undefined;
    if (read !== undefined) this.#reads.push(read);
    return read !== undefined;
  }

  /**
   * Formats the reads as one row: `✓ Read src/cart.js 17 lines`, `✓ Read 6 files src/cart.js, src/tax.js, …`.
   * Empty if there are no reads.
   */
  rows({ theme, columns }: Drawing): readonly string[] {
    const [first, ...others] = this.#reads;
    if (first === undefined) return [];
    const { done, ellipsis } = theme.symbols;
    const isOne = others.length === 0;
    const files = new Set(this.#reads.map(({ path }) => path));
    const [what, rest] = isOne
      ? [`Read ${first.path}`, first.facts]
      : [`Read ${files.size === 1 ? first.path : `${files.size} files`}`, told(this.#reads, files)];
    const name = cutToWidth(what, columns - done.length - 2 - (isOne ? rest.length + 2 : 0), ellipsis);
    const room = columns - done.length - name.length - 4;
    const facts = room < 8 ? '' : `  ${theme.dim(cutToWidth(rest, room, ellipsis))}`;
    return [`${theme.success(done)} ${theme.tool(name)}${facts}`];
  }

  /** The same, once. */
  take(drawing: Drawing): readonly string[] {
    const rows = this.rows(drawing);
    this.#reads = [];
    return rows;
  }
}

/** Returns the names of the files or, if there is only one file, the ranges read from it. */
function told(reads: readonly Read[], files: ReadonlySet<string>): string {
  return files.size > 1 ? [...files].join(', ') : reads.map(({ facts }) => facts).join(', ');
}

function readOf(input: JsonValue, output: JsonValue): Read | undefined {
  const { path } = membersOf(input);
  const facts = isJsonObject(output) ? readFacts(output) : undefined;
  return typeof path !== 'string' || facts === undefined ? undefined : { path: escapeText(path), facts };
}
