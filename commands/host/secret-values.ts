/** Matches the names of variables that contain secrets. */
const SECRET_NAME =
  /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|(?:^|_)PASS|CREDENTIALS?|_PWD|OTLP_(?:TRACES_)?HEADERS)$/iu;
/**
 * Minimum length of a secret, in characters. Shorter values are often ordinary words, which would be masked
 * everywhere.
 */
const SHORTEST = 8;

/**
 * Returns the values of environment variables whose names suggest secrets: `GITHUB_TOKEN`,
 * `ANTHROPIC_API_KEY` (G33).
 */
export function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined && value.length >= SHORTEST && !isPath(value)
      ? [value]
      : [],
  );
  // The longest first: one may be part of another.
  return [...new Set(values)].sort((left, right) => right.length - left.length);
}

/**
 * Whether a value is a path. A path, as in `SSH_KEY=/home/ann/.ssh/key`, refers to a file and is not itself a
 * secret.
 */
function isPath(value: string): boolean {
  return /^[~.]?\//u.test(value);
}
