import type {
  JsonObject,
  JsonValue,
  NotedFile,
  Tool,
  ToolContext,
  ToolResult,
  Resolution,
} from '../core/index.js';
import {
  bareText,
  count,
  HitlError,
  isOutcomeUnknown,
  maskJson,
  maskText,
  messageOf,
  sha256,
  toWellFormed,
  CallBase,
} from '../core/index.js';

/**
 * Maximum size of one output in a journal, in bytes of JSON (G8). An event may have up to 16 MB, which leaves
 * room for its other data.
 */
const LARGEST = 15_000_000;
/** Number of characters of an output that exceeds the limit to keep in the conversation. */
const HEAD = 2_000;

export interface GuardOptions {
  /** Secret values to mask, in addition to likely keys. */
  readonly secrets: readonly string[];
  /**
   * Stores an output that is too large for the journal. Returns its file name, or `undefined` if it was not
   * stored.
   */
  keep(text: string, sha256: string): Promise<string | undefined>;
  /** Maximum size of an output, in bytes of JSON. Default: 15 MB. */
  readonly largest?: number;
}

/**
 * Guards a tool's body. Masks keys and secrets in its results, errors and progress (G33). Stores an output
 * that is too large in a file and keeps only its start (G8). Both are recorded in the metadata of the output.
 */
export function guardOutput<Guarded extends Tool>(tool: Guarded, options: GuardOptions): Guarded {
  const notes = new Set<string>();
  return {
    ...tool,
    multipart: true,
    async parseOutput(output: JsonValue) {
      // A note that stands for a large output fits no schema of the tool.
      if (notes.has(JSON.stringify(output))) return { ok: true, value: output };
      return tool.parseOutput(output);
    },
    async execute(input: JsonValue, context: ToolContext): Promise<JsonValue | ToolResult> {
      const returned = await unmasked(tool, input, context, options.secrets);
      const result = resultOf(tool, returned);
      if (result === undefined) return returned;
      return guarded(result, { tool, options, notes, context });
    },
  };
}

/**
 * Runs the body. If it fails, throws the error with its secrets masked. An interrupt is not an error and is
 * thrown unchanged.
 */
async function unmasked(
  tool: Tool,
  input: JsonValue,
  context: ToolContext,
  secrets: readonly string[],
): Promise<JsonValue | ToolResult> {
  try {
    return await tool.execute(input, new MaskedContext(context, secrets));
  } catch (thrown) {
    if (!(thrown instanceof Error) || isOutcomeUnknown(thrown)) throw thrown; // a doubt shows no words of it
    const { value, count } = maskText(messageOf(thrown), secrets);
    if (count === 0) throw thrown;
    // Without the cause: it would bring the secret back.
    throw new HitlError('TOOL_FAILED', value);
  }
}

/**
 * Returns the result of a body, or `undefined` if the result is not JSON. The engine refuses such a result.
 */
function resultOf(tool: Tool, returned: JsonValue | ToolResult): ToolResult | undefined {
  const result = isResult(tool, returned) ? returned : { output: returned };
  try {
    JSON.stringify(result);
    return result;
  } catch {
    return undefined; // cycles, a BigInt
  }
}

function isResult(tool: Tool, returned: JsonValue | ToolResult): returned is ToolResult {
  return tool.multipart === true && typeof returned === 'object' && returned !== null;
}

interface Guarding {
  readonly tool: Tool;
  readonly options: GuardOptions;
  readonly notes: Set<string>;
  readonly context: ToolContext;
}

async function guarded(result: ToolResult, guarding: Guarding): Promise<ToolResult> {
  const { tool, options, context } = guarding;
  const { value, count: masked } = maskJson(result, options.secrets);
  if (masked > 0) context.progress(`${count(masked, 'secret')} masked in the output of ${tool.name}`);
  const kept = await shortened(value, guarding);
  const { metadata: given, ...rest } = kept?.result ?? value;
  const metadata = { ...given, ...(masked > 0 && { masked }), ...(kept && { kept: kept.facts }) };
  return { ...rest, ...(Object.keys(metadata).length > 0 && { metadata }) };
}

interface Shortened {
  readonly result: ToolResult;
  readonly facts: JsonObject;
}

/**
 * Returns the start of a large result and the location of the full result, or `undefined` if the result is
 * small enough.
 */
async function shortened(result: ToolResult, { options, notes }: Guarding): Promise<Shortened | undefined> {
  const text = JSON.stringify(result);
  // A text has no more bytes than three for each of its units: most are decided without counting.
  const { largest = LARGEST } = options;
  if (text.length * 3 <= largest || Buffer.byteLength(text) <= largest) return undefined;
  const digest = sha256(text);
  const bytes = Buffer.byteLength(text);
  const file = await options.keep(text, digest);
  const where = file === undefined ? 'the rest was discarded' : `the full output is in the session’s ${file}`;
  const note = `the output is ${bytes} bytes long, more than ${largest}; only the beginning is shown, and ${where}`;
  const { output } = result;
  const head = toWellFormed(bareText(output).slice(0, HEAD));
  const short = typeof output === 'string' ? `${head}\n[${note}]` : { note, head };
  notes.add(JSON.stringify(short));
  const facts = { bytes, sha256: digest, ...(file !== undefined && { file }) };
  return { result: { output: short }, facts };
}

/**
 * A tool context that masks keys and secrets in progress and questions (G33). Its methods do not use `this`,
 * because bodies may destructure the context.
 */
class MaskedContext extends CallBase implements ToolContext {
  declare readonly resumed?: JsonValue;
  declare readonly originalInput?: JsonValue;
  declare readonly approved?: NonNullable<ToolContext['approved']>;
  declare readonly askAtOnce?: NonNullable<ToolContext['askAtOnce']>;
  declare readonly noteFile?: NonNullable<ToolContext['noteFile']>;
  readonly progress: ToolContext['progress'];
  readonly interrupt: ToolContext['interrupt'];

  constructor(context: ToolContext, secrets: readonly string[]) {
    const { resumed, originalInput, approved, askAtOnce, noteFile } = context;
    super(context, context, context);
    if (resumed !== undefined) this.resumed = resumed;
    if (originalInput !== undefined) this.originalInput = originalInput;
    if (approved !== undefined) this.approved = approved;
    if (askAtOnce !== undefined)
      this.askAtOnce = async (payload, answerSchema) => {
        const asked = await askAtOnce(maskJson(payload, secrets).value, answerSchema);
        return { ...asked, answered: (resolution, by) => asked.answered(masked(resolution, secrets), by) };
      };
    if (noteFile !== undefined) this.noteFile = (file) => noteFile(withoutSecrets(file, secrets));
    this.interrupt = (payload, options) => context.interrupt(payload, options);
    this.progress = (text) => {
      context.progress(maskText(text, secrets).value);
    };
  }
}

/**
 * Removes file content that contains a key or secret, which the rest of the session does not contain either
 * (G33).
 */
function withoutSecrets(file: NotedFile, secrets: readonly string[]): NotedFile {
  const isSecret = (content: string | Uint8Array): boolean => {
    const text = typeof content === 'string' ? content : Buffer.from(content).toString();
    return maskText(text, secrets).count > 0;
  };
  const { after, ...rest } = file;
  const { before } = file;
  return {
    ...rest,
    before: typeof before !== 'string' && isSecret(before.bytes) ? 'secret' : before,
    ...(after !== undefined && (after === null || !isSecret(after)) && { after }),
  };
}

function masked(resolution: Resolution, secrets: readonly string[]): Resolution {
  if (resolution.action !== 'respond') return resolution;
  return { ...resolution, output: maskJson(resolution.output, secrets).value };
}
