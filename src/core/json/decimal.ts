/**
 * A canonical form of a decimal number's text: equal numbers have equal forms, however they are written.
 * Time is linear, which `/0+$/` would not be.
 */
export function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let start = 0;
  while (digits.charAt(start) === '0') start += 1;
  let end = digits.length;
  while (end > start && digits.charAt(end - 1) === '0') end -= 1;
  if (start === end) return '0';
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${digits.slice(start, end)}e${power}`;
}
