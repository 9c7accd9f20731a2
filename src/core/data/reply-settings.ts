import type { ProviderTool } from './provider-call.js';

/** A model's reasoning effort, lowest to highest. */
export type Effort = 'low' | 'medium' | 'high' | 'max';

/** Whether a model uses extended thinking. If so, the reasoning is shown. */
export type Thinking = 'on' | 'off';

/** Reply settings that a person can choose. If a setting is absent, the model's default applies. */
export interface ReplySettings {
  readonly effort?: Effort;
  readonly thinking?: Thinking;
  /** Tools that the provider runs itself. */
  readonly providerTools?: readonly ProviderTool[];
}

/** Picks the reply settings from an object. */
export function replySettings({ effort, thinking, providerTools }: ReplySettings): ReplySettings {
  return {
    ...(effort !== undefined && { effort }),
    ...(thinking !== undefined && { thinking }),
    ...(providerTools !== undefined && { providerTools }),
  };
}
