import type { JsonObject, JsonValue, Tool, ToolContext, ToolResult, Resolution } from '../core/index.js';
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

/** Bytes of JSON that one output may bring into a journal (G8): a record of 16 MB, with room for the rest of it. */
const LARGEST = 15_000_000;
/** Characters of a larger output that stay in the conversation. */
const HEAD = 2_000;

export interface GuardOptions {
  /** Values that are nobody's business, beside what looks like a key. */
  readonly secrets: readonly string[];
  /** Keeps an output that is too large for the journal; the name of its file, or `undefined` where nothing is kept. */
  keep(text: string, sha256: string): Promise<string | undefined>;
  /** Bytes of JSON. Default: 15 MB. */
  readonly largest?: number;
}

/**
 * The tool with a guard behind its body: keys and secrets in what it returns, throws and tells are masked (G33), and an
 * output that is too large is kept in a file with its beginning in its place (G8). How much of both is told, and
 * stands in the metadata of the output.
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

/** Runs the body. What it throws is thrown on, without secrets; an interrupt is no error and is left alone. */
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

/** `undefined` for what is no JSON, which the engine refuses in its own words. */
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

/** The beginning of a result that is too large, and where the rest is; `undefined` for one that is not. */
async function shortened(result: ToolResult, { options, notes }: Guarding): Promise<Shortened | undefined> {
  const text = JSON.stringify(result);
  // A text has no more bytes than three for each of its units: most are decided without counting.
  const { largest = LARGEST } = options;
  if (text.length * 3 <= largest || Buffer.byteLength(text) <= largest) return undefined;
  const digest = sha256(text);
  const bytes = Buffer.byteLength(text);
  const file = await options.keep(text, digest);
  const where = file === undefined ? 'nothing else of it is kept' : `all of it is in the session’s ${file}`;
  const note = `the output has ${bytes} bytes, more than ${largest}; this is its beginning, and ${where}`;
  const { output } = result;
  const head = toWellFormed(bareText(output).slice(0, HEAD));
  const short = typeof output === 'string' ? `${head}\n[${note}]` : { note, head };
  notes.add(JSON.stringify(short));
  const facts = { bytes, sha256: digest, ...(file !== undefined && { file }) };
  return { result: { output: short }, facts };
}

/** A context whose progress is told, and whose questions are kept, without keys and secrets (G33). Its methods need no `this`: bodies take them out of it. */
class MaskedContext extends CallBase implements ToolContext {
  declare readonly resumed?: JsonValue;
  declare readonly originalInput?: JsonValue;
  declare readonly approved?: NonNullable<ToolContext['approved']>;
  declare readonly askAtOnce?: NonNullable<ToolContext['askAtOnce']>;
  readonly progress: ToolContext['progress'];
  readonly interrupt: ToolContext['interrupt'];

  constructor(context: ToolContext, secrets: readonly string[]) {
    const { resumed, originalInput, approved, askAtOnce } = context;
    super(context, context, context);
    if (resumed !== undefined) this.resumed = resumed;
    if (originalInput !== undefined) this.originalInput = originalInput;
    if (approved !== undefined) this.approved = approved;
    if (askAtOnce !== undefined)
      this.askAtOnce = async (payload, answerSchema) => {
        const asked = await askAtOnce(maskJson(payload, secrets).value, answerSchema);
        return { ...asked, answered: (resolution, by) => asked.answered(masked(resolution, secrets), by) };
      };
    this.interrupt = (payload, options) => context.interrupt(payload, options);
    this.progress = (text) => {
      context.progress(maskText(text, secrets).value);
    };
  }
}

function masked(resolution: Resolution, secrets: readonly string[]): Resolution {
  if (resolution.action !== 'respond') return resolution;
  return { ...resolution, output: maskJson(resolution.output, secrets).value };
}
