/** Keys and indices that lead to a value, as text: `nodes.review.tools[0]`. */
export function placeText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`,
    )
    .join('');
}
