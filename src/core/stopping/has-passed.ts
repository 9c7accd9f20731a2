/** True once something was waited for; false where it was called off, or failed. */
export async function hasPassed(wait: Promise<unknown>): Promise<boolean> {
  return wait.then(
    () => true,
    () => false,
  );
}
