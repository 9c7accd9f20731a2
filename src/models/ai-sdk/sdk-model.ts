/** The options of an AI SDK request that this adapter sets. */
export interface AiSdkCall {
  readonly prompt: readonly unknown[];
  readonly tools?: readonly unknown[];
  readonly maxOutputTokens?: number;
  readonly responseFormat?: { readonly type: 'json'; readonly schema: unknown };
  /** Version 4: reasoning effort. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high' | 'max';
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly abortSignal?: AbortSignal;
}

/** The used part of a stream. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** Supported versions of the specification: those of AI SDK 5, 6 and 7. */
export type AiSdkVersion = 'v2' | 'v3' | 'v4';

/** An AI SDK language model from a provider package, specification version 2, 3 or 4. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: AiSdkCall): PromiseLike<{ readonly stream: AiSdkStream }>;
}
