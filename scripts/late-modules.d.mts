import type { BuildOptions, Plugin } from 'esbuild';

/** Reads sources so that their modules run at their first use. */
export function lateModules(given: {
  readonly root: string;
  readonly sources: readonly string[];
  readonly common: Pick<
    BuildOptions,
    'bundle' | 'platform' | 'format' | 'target' | 'minifySyntax' | 'define'
  > & {
    readonly external: readonly string[];
  };
}): Promise<{ readonly head: string; readonly plugin: Plugin }>;
