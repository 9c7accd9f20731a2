/** Tools that a provider runs by itself. Nobody is asked before a call of one, so people choose them beforehand. */
export const PROVIDER_TOOLS = ['web_search', 'web_fetch', 'code_execution'] as const;

export type ProviderToolName = (typeof PROVIDER_TOOLS)[number];

/** A tool of the provider, within what a person agreed to. */
export interface ProviderTool {
  readonly name: ProviderToolName;
  /** Calls in one request to the model. Default: as many as the provider allows. */
  readonly maxUses?: number;
  /** The only sites that it may visit. Default: all. */
  readonly domains?: readonly string[];
}
