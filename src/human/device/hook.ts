/** A stream of the process that any code may write to, such as `process.stdout`. */
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
 * Redirects writes to a stream to `append`, until the returned function is called. `append` also receives the
 * stream's original write function. Output from other code, such as a tool's `console.log`, then appears
 * above the drawn region and never inside it.
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
