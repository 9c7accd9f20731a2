import type { SessionRule } from '../event.js';

/** Leaves out the rules for a tool. */
export function rulesWithout(
  rules: readonly SessionRule[],
  name: string,
  illegal: (why: string) => never,
): readonly SessionRule[] {
  const left = rules.filter(({ tool }) => tool !== name);
  return left.length === rules.length ? illegal(`there is no rule for \`${name}\``) : left;
}
