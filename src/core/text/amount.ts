import { count } from './count.js';
import { durationText } from './duration.js';

/** So much of a limit, in its unit: `5 rounds`, `$0.50`, `90 s`. */
export function amountText(value: number, limit: string): string {
  switch (limit) {
    case 'cost':
      return `$${value.toFixed(value < 1 ? 4 : 2)}`;
    case 'time':
      return durationText(value);
    case 'tokens':
    case 'context':
      return `${value.toLocaleString('en-US')} tokens`;
    case 'turns':
      return count(value, 'round');
    default:
      return String(value);
  }
}

/** Gives the unit that a person writes behind an amount of a limit. */
export function amountUnit(limit: string): string {
  switch (limit) {
    case 'cost':
      return 'an amount of US dollars';
    case 'time':
      return 'a number of seconds, or one with a unit: 90s, 5m, 2h';
    case 'tokens':
    case 'context':
      return 'a whole number of tokens';
    default:
      return `a whole number of ${limit === 'turns' ? 'rounds' : 'nodes'}`;
  }
}
