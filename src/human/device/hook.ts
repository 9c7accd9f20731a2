/** A stream of the process that anybody may write to; `process.stdout` is one. */
export interface SharedOutput {
  write(text: string): unknown;
}

/** The stream's own way to write, from before it was taken over. */
export type Write = (text: string) => void;

function textOf(chunk: unknown): string {
  if (typeof chunk === 'string') return chunk;
  return chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : '';
}

function isCallback(value: unknown): value is () => void {
  return typeof value === 'function';
}

/**
 * Gives everything that is written to a stream to `append`, with the stream's own way to write, until the returned
 * function is called. So whoever writes, a tool's `console.log` too, writes above what is drawn and never into it.
 */
export function takeOver(output: SharedOutput, append: (text: string, write: Write) => void): () => void {
  const former = Object.getOwnPropertyDescriptor(output, 'write');
  const writeAsItWas = output.write.bind(output);
  const write: Write = (text) => void writeAsItWas(text);
  output.write = (chunk: unknown, ...more: readonly unknown[]) => {
    append(textOf(chunk), write);
    const done = more.at(-1);
    if (isCallback(done)) queueMicrotask(done);
    return true;
  };
  return () => {
    if (former === undefined) Reflect.deleteProperty(output, 'write');
    else Object.defineProperty(output, 'write', former);
  };
}
