/** The act as it is done at its first call; further ones do nothing. */
export function once<Args extends readonly unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  let isDone = false;
  return (...args) => {
    if (isDone) return;
    isDone = true;
    act(...args);
  };
}
