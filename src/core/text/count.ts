/** So many of a thing: `1 turn`, `2 turns`; `several` is what more than one are called where an `s` does not do. */
export function count(n: number, one: string, several = `${one}s`): string {
  return `${n} ${n === 1 ? one : several}`;
}
