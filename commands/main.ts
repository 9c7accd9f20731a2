/** Runs the program with the words after its name and returns its exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stderr.write(`error: no such command: ${argv.join(' ')}\n`);
  return 2;
}
