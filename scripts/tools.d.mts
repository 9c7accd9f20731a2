/** Says whether a package of `tools/` is there as its lockfile has it. */
export function isInstalled(
  name: 'agui' | 'browser' | 'code' | 'package' | 'peers' | 'providers' | 'servers',
): boolean;
