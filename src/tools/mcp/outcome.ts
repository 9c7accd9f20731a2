import type { CallToolResult, InputRequiredResult, Progress } from '@modelcontextprotocol/client';
import { loadSdk } from './sdk.js';

/** The answer of a server: what its tool gave, or what it wants first. */
export type ServerAnswer =
  | { readonly type: 'gave'; readonly result: CallToolResult }
  | { readonly type: 'asks'; readonly result: InputRequiredResult };

/** True for an error that the server gave as its answer: it did not do what it was asked. */
export async function isAnswer(thrown: unknown): Promise<boolean> {
  const { ProtocolError, SdkHttpError } = await loadSdk();
  if (thrown instanceof SdkHttpError) return thrown.status >= 400 && thrown.status < 500;
  return thrown instanceof ProtocolError;
}

/** True for an error with such a code. */
export function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

/** The words for how far a call came; the message is the server's. */
export function progressText({ progress, total, message }: Progress): string {
  const far = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? far : `${far}: ${message}`;
}
