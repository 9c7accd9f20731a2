import type { NodePath } from '../data/ids.js';

/** One node of a path, and the branch that the path follows; `''` if there is only one. */
export interface PathStep {
  /** `review@2`. */
  readonly activation: string;
  readonly branch: string;
}

/**
 * Returns a path's nodes, outermost first: `outer@1/left/inner@1` is `inner@1` in the branch `left` of
 * `outer@1`.
 */
export function pathSteps(path: NodePath): readonly PathStep[] {
  const steps: PathStep[] = [];
  const left = path === '' ? [] : path.split('/');
  for (let activation = left.shift(); activation !== undefined; activation = left.shift()) {
    const branch = left[0]?.includes('@') === false ? left.shift() : undefined;
    steps.push({ activation, branch: branch ?? '' });
  }
  return steps;
}
