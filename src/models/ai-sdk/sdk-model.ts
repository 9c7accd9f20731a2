/** The request options that this adapter sets. */
export interface AiSdkCall {
  readonly prompt: readonly unknown[];
  readonly tools?: readonly unknown[];
  readonly maxOutputTokens?: number;
  readonly responseFormat?: { readonly type: 'json'; readonly schema: unknown };
  /** Reasoning effort, supported in version 4. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high' | 'max';
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly abortSignal?: AbortSignal;
}

/** The methods of a stream that this adapter uses. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** Supported specification versions: those of AI SDK 5, 6 and 7. */
export type AiSdkVersion = 'v2' | 'v3' | 'v4';

/** A language model from an AI SDK provider package, with specification version 2, 3 or 4. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: AiSdkCall): PromiseLike<{ readonly stream: AiSdkStream }>;
}
