/** Says whether a package of `tools/` is there as its lockfile has it. */
export function isInstalled(name: 'code' | 'package' | 'peers' | 'servers'): boolean;
