// Invariants:
// B1 A rule that allows tools of servers knows them as they were when a person made it, or saw that it is bound: a rule
//    that was written by hand is bound once, to a server of the person's own configuration or command line.
// B2 A file that cannot be read, or that others could have written, binds nothing, and no rule is bound anew for it.
// B3 The file is replaced in one step; two processes that write at once lose a binding at most, and ask again.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { ServedTool, ToolRule } from '../../src/core/index.js';
import { HitlError, isGrant, messageOf } from '../../src/core/index.js';
import { servedToolSchema } from '../../src/core/told/schemas.js';
import type { Io } from '../host/index.js';
import { replaceFile, stateFolder } from '../host/index.js';
import { ownText } from '../trust/trust-store.js';

const OTHERS_MAY_WRITE = 0o022;
/** Maximum length of the bindings file, in characters. A longer file could not be used (B2). */
const LONGEST = 1_000_000;

/**
 * Builds the schema on first use. Most runs have no bindings file, so they do not need to load zod for it.
 */
function bindingsSchema() {
  return z.strictObject({
    version: z.literal(1),
    rules: z.record(z.string(), z.array(servedToolSchema.strict())),
  });
}

type Bindings = ReadonlyMap<string, readonly ServedTool[]>;

/** The MCP tools that each rule is bound to, keyed by the text of the rule. */
export class RuleBindings {
  readonly #io: Io;
  readonly #saves: boolean;
  #known: Map<string, readonly ServedTool[]>;
  readonly #isReadable: boolean;
  #written: Promise<unknown> = Promise.resolve();

  private constructor(io: Io, known: Bindings | undefined, saves: boolean) {
    this.#io = io;
    this.#saves = saves && known !== undefined;
    this.#isReadable = known !== undefined;
    this.#known = new Map(known);
  }

  /** Reads the user's bindings. @param saves whether to save new bindings for later runs */
  static async read(io: Io, { saves }: { readonly saves: boolean }): Promise<RuleBindings> {
    return new RuleBindings(io, await readBindings(io), saves);
  }

  /** Returns the rule with the tools it is bound to. */
  bound(rule: ToolRule): ToolRule {
    const served = this.#known.get(rule.text);
    return served === undefined || !isGrant(rule.effect) ? rule : { ...rule, served };
  }

  /**
   * Whether a rule may be bound. False if it is already bound, or if the bindings file cannot be used (B1,
   * B2).
   */
  mayBind({ text }: ToolRule): boolean {
    return this.#isReadable && !this.#known.has(text);
  }

  /**
   * Binds a rule to the current definitions of the tools. Replaces bindings to tools with the same name on
   * the same server.
   */
  bind({ text }: ToolRule, tools: readonly ServedTool[]): void {
    const isReplaced = (one: ServedTool): boolean =>
      tools.some(({ name, reached }) => name === one.name && reached === one.reached);
    const left = (this.#known.get(text) ?? []).filter((one) => !isReplaced(one));
    this.#change(text, [...left, ...tools]);
  }

  /** Removes a rule's bindings. */
  drop({ text }: Pick<ToolRule, 'text'>): void {
    if (this.#known.has(text)) this.#change(text, undefined);
  }

  /** Resolves when everything has been saved. @throws HitlError SAVE_FAILED */
  async kept(): Promise<void> {
    await this.#written;
  }

  #change(text: string, served: readonly ServedTool[] | undefined): void {
    change(this.#known, text, served);
    if (!this.#saves) return;
    const write = async (): Promise<void> => {
      const now = new Map(await readBindings(this.#io)); // B3
      change(now, text, served);
      await writeBindings(this.#io, now);
    };
    this.#written = this.#written.then(write);
    this.#written.catch(() => undefined); // told where it is waited for
  }
}

function change(
  known: Map<string, readonly ServedTool[]>,
  text: string,
  served: readonly ServedTool[] | undefined,
): void {
  if (served === undefined) known.delete(text);
  else known.set(text, served);
}

async function writeBindings(io: Io, known: Bindings): Promise<void> {
  const path = bindingsFile(io);
  const text = `${JSON.stringify({ version: 1, rules: Object.fromEntries(known) }, null, 2)}\n`;
  try {
    if (text.length > LONGEST) throw new Error(`longer than ${LONGEST} characters`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, text);
  } catch (cause) {
    throw new HitlError('SAVE_FAILED', `cannot write \`${path}\`: ${messageOf(cause)}`, {
      hint: 'rules for MCP tools are bound again in the next run',
      cause,
    });
  }
}

/**
 * Returns the saved bindings. They are empty if there is no file, and `undefined` if the file cannot be used
 * (B2).
 */
async function readBindings(io: Io): Promise<Bindings | undefined> {
  const path = bindingsFile(io);
  try {
    if (!existsSync(path)) return new Map();
    const { rules } = bindingsSchema().parse(JSON.parse(await ownText(path, OTHERS_MAY_WRITE)));
    return new Map(Object.entries(rules));
  } catch {
    return undefined; // B2
  }
}

function bindingsFile(io: Io): string {
  return join(stateFolder(io), 'rule-bindings.json');
}
