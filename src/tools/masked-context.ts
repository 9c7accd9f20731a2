import type { JsonValue, ToolContext } from '../core/index.js';
import { CallBase, maskText } from '../core/index.js';

/** A context whose progress is told without keys and secrets (G33). Its methods need no `this`: bodies take them out of it. */
export class MaskedContext extends CallBase implements ToolContext {
  declare readonly resumed?: JsonValue;
  declare readonly originalInput?: JsonValue;
  declare readonly approved?: NonNullable<ToolContext['approved']>;
  readonly progress: ToolContext['progress'];
  readonly interrupt: ToolContext['interrupt'];

  constructor(context: ToolContext, secrets: readonly string[]) {
    const { resumed, originalInput, approved } = context;
    super(context, context, context);
    if (resumed !== undefined) this.resumed = resumed;
    if (originalInput !== undefined) this.originalInput = originalInput;
    if (approved !== undefined) this.approved = approved;
    this.interrupt = (payload, options) => context.interrupt(payload, options);
    this.progress = (text) => {
      context.progress(maskText(text, secrets).value);
    };
  }
}
