/** A number with three digits that matter. */
export function figure(value) {
  if (value === undefined || !Number.isFinite(value)) return '-';
  if (value === 0) return '0';
  const digits = Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A median with what it varied between. */
export function spread(numbers) {
  if (numbers === undefined) return '-';
  return numbers.min === numbers.max
    ? figure(numbers.median)
    : `${figure(numbers.median)} (${figure(numbers.min)} to ${figure(numbers.max)})`;
}

/** What a table says of one number of one measure: the number, why there is none, or how far it came in its time. */
export function cell(measured, id, key, shown = (numbers) => figure(numbers?.median)) {
  const failure = measured.failure(id);
  if (failure !== undefined) return failure.slice(0, 60).replaceAll('|', '/');
  const numbers = measured.of(id, key);
  const over = measured.over(id);
  if (over === undefined) return shown(numbers);
  return numbers === undefined
    ? `over ${figure(over)} s`
    : `over ${figure(over)} s, ${shown(numbers)} by then`;
}

/** A Markdown table. @param rows cells as texts, the first row is the head */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length), 3));
  const line = (row) => `| ${row.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
