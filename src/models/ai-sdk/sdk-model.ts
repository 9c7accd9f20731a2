/** The options of one request, as providers of the AI SDK take them; the members that this adapter sets. */
export interface AiSdkCall {
  readonly prompt: readonly unknown[];
  readonly tools?: readonly unknown[];
  readonly maxOutputTokens?: number;
  readonly responseFormat?: { readonly type: 'json'; readonly schema: unknown };
  /** Version 4: how much it thinks. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high' | 'max';
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly abortSignal?: AbortSignal;
}

/** A stream of parts, as far as it is read here. */
export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** The versions of the specification that are read: those of the AI SDK 5, 6 and 7. */
export type AiSdkVersion = 'v2' | 'v3' | 'v4';

/** A language model of the AI SDK: what a provider package makes. Versions 2, 3 and 4 of its specification are read. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: AiSdkCall): PromiseLike<{ readonly stream: AiSdkStream }>;
}
