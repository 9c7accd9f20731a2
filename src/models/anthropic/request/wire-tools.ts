import type { JsonObject, JsonValue, ToolDescriptor, ToolRequestPart } from '../../../core/index.js';
import { HitlError, isJsonObject, isLegalToolName, sha256 } from '../../../core/index.js';
import type { StrictForm } from './strict-form.js';
import { strictForm } from './strict-form.js';
import { needsWrapping, toObjectSchema, unwrapInput, wrapInput } from '../../scalar-inputs.js';

/** API limits for all strict schemas in a request: number of tools, optional properties and union types. */
const MOST_STRICT = { tools: 20, optional: 24, unions: 16 };

/**
 * Returns a schema and subtracts it from the remaining limits. Returns `undefined` if it does not fit within
 * them.
 */
function withinLimits(form: StrictForm | undefined, left: typeof MOST_STRICT): JsonObject | undefined {
  if (form === undefined || left.tools < 1 || form.optional > left.optional || form.unions > left.unions)
    return undefined;
  left.tools -= 1;
  left.optional -= form.optional;
  left.unions -= form.unions;
  return form.schema;
}

const LEGAL_ID = /^[a-zA-Z0-9_-]+$/;

/**
 * Replaces illegal characters with `_` and appends a hash of the original text, so that different names stay
 * different.
 */
function legalized(text: string): string {
  return `${text.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 50)}_${sha256(text).slice(0, 8)}`;
}

/**
 * Returns a tool name that the provider accepts: the name itself, or a name that is always derived from it in
 * the same way.
 */
export function wireName(name: string): string {
  return isLegalToolName(name) ? name : legalized(name);
}

/**
 * Returns an id that the provider accepts: the ref itself, or an id that is always derived from it in the
 * same way.
 */
export function wireId(ref: string): string {
  return LEGAL_ID.test(ref) ? ref : legalized(ref);
}

/** A tool request converted to hitl's format, or the problem with its input. */
export interface MeantRequest {
  readonly name: string;
  readonly input: JsonValue;
  readonly problem?: string;
}

/** Converts tools and tool requests between hitl's format and the provider's. */
export class WireTools {
  readonly #byWireName = new Map<string, ToolDescriptor>();
  readonly #byName = new Map<string, ToolDescriptor>();

  /** @throws HitlError MODEL_REQUEST if two tools would have the same name at the provider. */
  constructor(tools: readonly ToolDescriptor[]) {
    for (const tool of tools) {
      const wire = wireName(tool.name);
      const other = this.#byWireName.get(wire);
      if (other !== undefined) {
        throw new HitlError(
          'MODEL_REQUEST',
          `tools \`${other.name}\` and \`${tool.name}\` have the same name at the provider: \`${wire}\``,
          { hint: 'rename one of them' },
        );
      }
      this.#byWireName.set(wire, tool);
      this.#byName.set(tool.name, tool);
    }
  }

  /**
   * Returns the tool definitions for a request. Uses `strict` for as many tools as the API allows. The tools
   * after the first `inFull` are available only through search.
   */
  definitions(strict = false, inFull = Number.POSITIVE_INFINITY): readonly JsonObject[] {
    const left = { ...MOST_STRICT };
    return [...this.#byWireName].map(([name, { description, inputSchema }], index) => {
      const input_schema = toObjectSchema(inputSchema);
      const form = strict ? withinLimits(strictForm(input_schema), left) : undefined;
      const deferred = index < inFull ? {} : { defer_loading: true };
      return form === undefined
        ? { name, description, input_schema, ...deferred }
        : { name, description, input_schema: form, strict: true, ...deferred };
    });
  }

  /** Converts the input of an earlier tool request to the provider's format. */
  wireInput({ name, input, problem }: ToolRequestPart): JsonObject {
    if (problem !== undefined) return {};
    const tool = this.#byName.get(name);
    const wraps = tool !== undefined && needsWrapping(tool.inputSchema);
    return isJsonObject(input) && !wraps ? input : wrapInput(input);
  }

  /** Converts a tool request from the model to hitl's format. */
  meant(wire: string, input: JsonValue): MeantRequest {
    const tool = this.#byWireName.get(wire);
    const name = tool?.name ?? wireName(wire);
    if (tool !== undefined && needsWrapping(tool.inputSchema)) {
      const inner = unwrapInput(input);
      if (inner !== undefined) return { name, input: inner.value };
      return { name, input: {}, problem: 'the input must be an object with only the property `value`' };
    }
    if (isJsonObject(input)) return { name, input };
    return { name, input: {}, problem: 'the input must be a JSON object' };
  }
}
