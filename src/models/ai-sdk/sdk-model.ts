/** The options of one request, as providers of the AI SDK take them; the members that this adapter sets. */
export interface AiSdkCall {
  readonly prompt: readonly unknown[];
  readonly tools?: readonly unknown[];
  readonly maxOutputTokens?: number;
  readonly responseFormat?: { readonly type: 'json'; readonly schema: unknown };
  readonly abortSignal?: AbortSignal;
}

/** A stream of parts, as far as it is read here. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** A language model of the AI SDK: what a provider package makes. Versions 2 and 3 of its specification are read. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: AiSdkCall): PromiseLike<{ readonly stream: AiSdkStream }>;
}
