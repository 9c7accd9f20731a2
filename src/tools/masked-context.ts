import type { JsonValue, Resolution, ToolContext } from '../core/index.js';
import { CallBase, maskJson, maskText } from '../core/index.js';

/** A context whose progress is told, and whose questions are kept, without keys and secrets (G33). Its methods need no `this`: bodies take them out of it. */
export class MaskedContext extends CallBase implements ToolContext {
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
