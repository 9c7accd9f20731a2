// Which rows are meant: `C1` is that row, `H5` is also `H5a` and `H5b`, `H` is all rows of that letter.

/** What can be picked by its number. */
export interface Numbered {
  readonly id: string;
}

function isMeant(id: string, pick: string): boolean {
  if (id === pick) return true;
  if (!id.startsWith(pick)) return false;
  const rest = id.slice(pick.length);
  return /^[A-Z]+$/u.test(pick) ? /^\d/u.test(rest) : /^[a-z]$/u.test(rest);
}

/**
 * Picks rows by number, in the order of the table.
 * @param only numbers with commas between them; undefined picks all rows.
 * @throws Error where a number picks nothing: a typing error must not look like a success.
 */
export function selectRows<T extends Numbered>(rows: readonly T[], only: string | undefined): readonly T[] {
  if (only === undefined) return rows;
  const picks = only
    .split(',')
    .map((pick) => pick.trim())
    .filter((pick) => pick !== '');
  const unknown = picks.filter((pick) => !rows.some(({ id }) => isMeant(id, pick)));
  if (unknown.length > 0 || picks.length === 0)
    throw new Error(`no row is called ${unknown.join(', ') || '""'}`);
  return rows.filter(({ id }) => picks.some((pick) => isMeant(id, pick)));
}
