import type { TreeNode } from './tree-node.js';

/** So many alike are folded, and not fewer: three rows are read at once. */
const FOLDED_FROM = 4;
/** The longest round of a loop that is looked for, in operations. */
const LONGEST_ROUND = 6;

/** Folds rounds of a loop, and branches that are alike, where all of it went well: each operation of a round is a row. */
export function folded(nodes: readonly TreeNode[]): readonly TreeNode[] {
  if (nodes.length < FOLDED_FROM) return nodes;
  const signs = nodes.map(signOf);
  const rows: TreeNode[] = [];
  for (let at = 0; at < nodes.length;) {
    const { round, times } = loopAt(signs, at);
    const [first] = nodes.slice(at, at + 1);
    if (times >= FOLDED_FROM) {
      for (let step = 0; step < round; step += 1)
        rows.push(...oneOf(nodes.slice(at + step, at + round * times).filter((_, n) => n % round === 0)));
      at += round * times;
    } else {
      if (first !== undefined) rows.push(first);
      at += 1;
    }
  }
  return rows;
}

/** The loop that begins at a row: the shortest round that comes often enough. */
function loopAt(
  signs: readonly (string | undefined)[],
  at: number,
): { readonly round: number; readonly times: number } {
  for (let round = 1; round <= LONGEST_ROUND; round += 1) {
    let same = 0;
    while (signs[at + same] !== undefined && signs[at + same] === signs[at + same + round]) same += 1;
    const times = Math.floor(same / round) + 1;
    if (times >= FOLDED_FROM) return { round, times };
  }
  return { round: 1, times: 1 };
}

/** What makes two rows alike; `undefined` for one that has to be seen by itself. */
function signOf({
  name,
  kind,
  progress,
  attempts,
  answers,
  times,
  inside = [],
}: TreeNode): string | undefined {
  if (progress !== 'done' || attempts !== undefined) return undefined;
  const signs = inside.map(signOf);
  if (signs.includes(undefined)) return undefined;
  const own = kind === 'branch' ? '' : name;
  return JSON.stringify([own, kind, answers ?? [], times ?? 1, signs]);
}

/** One row for many. */
function oneOf(nodes: readonly TreeNode[]): readonly TreeNode[] {
  const [first] = nodes;
  const last = nodes.at(-1);
  if (first === undefined || last === undefined) return [];
  const { inside, title, ended: _ended, ...rest } = first;
  const titles = title === undefined || last.title === undefined ? undefined : `${title} … ${last.title}`;
  const own = last.key.slice(last.key.lastIndexOf('#'));
  const isOneName =
    first.key.slice(0, first.key.lastIndexOf('#')) === last.key.slice(0, last.key.lastIndexOf('#'));
  return [
    {
      ...rest,
      key: isOneName && own.startsWith('#') ? `${first.key}…${own}` : `${first.key} … ${last.key}`,
      times: nodes.length,
      ...(titles !== undefined && { title: titles }),
      ...(last.ended !== undefined && { ended: last.ended }),
      ...(inside !== undefined && { inside: [] }),
    },
  ];
}
