import type { AiSdkModel } from '../../src/library/ai-sdk.js';

/** A provider of the AI SDK, as far as tests need it. */
export function createOpenAI(options: { readonly apiKey: string; readonly fetch: typeof fetch }): {
  chat(model: string): AiSdkModel;
};
