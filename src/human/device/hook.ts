/** A stream of the process that anybody may write to; `process.stdout` is one. */
export interface SharedOutput {
  write(text: string): unknown;
}

export type Write = (text: string) => void;

function textOf(chunk: unknown): string {
  if (typeof chunk === 'string') return chunk;
  return chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : '';
}

function isCallback(value: unknown): value is () => void {
  return typeof value === 'function';
}

/**
 * Redirects writes to a stream to `append`, together with the stream's own write function, until the returned
 * function is called. Other writers, such as a tool's `console.log`, then write above the drawn region and
 * never into it.
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
