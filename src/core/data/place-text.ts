/** Keys and indices that lead to a value, as text: `nodes.review.tools[0]`. */
export function placeText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`,
    )
    .join('');
}

/** Formats a schema issue with its location: `amount: expected number, received string`. */
export function issueText({
  path,
  message,
}: {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}): string {
  const what = message.replace(/^Invalid input: /, '');
  const place = placeText(path);
  return place === '' ? what : `${place}: ${what}`;
}
