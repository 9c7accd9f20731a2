/** Says whether the package of `tools/` is there as its lockfile has it. */
export function isInstalled(): boolean;
