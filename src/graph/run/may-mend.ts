/** True where nobody says that another attempt cannot mend what was thrown; one who throws at it says so. */
export function mayMend(when: ((thrown: unknown) => boolean) | undefined, thrown: unknown): boolean {
  if (when === undefined) return true;
  try {
    return when(thrown);
  } catch {
    return false; // nobody said that it would
  }
}
