import type { ProviderTool } from './provider-call.js';

/** The work that a model puts into a reply, from the least to the most. */
export type Effort = 'low' | 'medium' | 'high' | 'max';

/** Whether a model thinks before it speaks, as much as it finds right; the thinking is told. */
export type Thinking = 'on' | 'off';

/** The settings of replies that a person chooses. What is absent is as the model has it. */
export interface ReplySettings {
  readonly effort?: Effort;
  readonly thinking?: Thinking;
  /** Tools that the provider runs by itself. */
  readonly providerTools?: readonly ProviderTool[];
}

/** Picks the settings of replies from what has more in it. */
export function replySettings({ effort, thinking, providerTools }: ReplySettings): ReplySettings {
  return {
    ...(effort !== undefined && { effort }),
    ...(thinking !== undefined && { thinking }),
    ...(providerTools !== undefined && { providerTools }),
  };
}
