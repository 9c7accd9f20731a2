/** Says whether a package of `tools/` is there as its lockfile has it. */
export function isInstalled(name: 'browser' | 'code' | 'package' | 'peers' | 'servers'): boolean;
