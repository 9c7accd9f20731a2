/**
 * Milliseconds of processor time that this process has had, for claims of how much work something is. What else runs
 * on the machine does not count.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
