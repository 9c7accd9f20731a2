/** A number with three digits that matter. */
export function figure(value) {
  if (value === undefined || !Number.isFinite(value)) return '-';
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', {
    minimumFractionDigits: Math.min(digits, 4),
    maximumFractionDigits: Math.min(digits, 4),
  });
}

/** A median with what it varied between. */
export function spread(numbers) {
  if (numbers === undefined) return '-';
  return numbers.min === numbers.max
    ? figure(numbers.median)
    : `${figure(numbers.median)} (${figure(numbers.min)} to ${figure(numbers.max)})`;
}

/** A Markdown table. @param rows cells as texts, the first row is the head */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length), 3));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

/** A goal and whether it is met. */
export function goal(text, value, most) {
  if (value === undefined) return { text, met: undefined, line: `- not measured: ${text}` };
  const met = value <= most;
  return {
    text,
    value,
    most,
    met,
    line: `- ${met ? 'met' : 'MISSED'}: ${text}: ${figure(value)}, at most ${figure(most)}`,
  };
}
