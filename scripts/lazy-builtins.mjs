// Modules of Node that are loaded when a function of theirs is called first.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Modules of Node that take a millisecond or more are loaded at the first call of one of their functions. */
export function lazyBuiltins() {
  const name = 'lazy-builtins';
  const setup = ({ onResolve, onLoad }) => {
    onResolve(
      { filter: /^node:(child_process|crypto|fs\/promises|timers\/promises|zlib)$/ },
      ({ path: builtin, namespace }) =>
        namespace === name ? { path: builtin, external: true } : { path: builtin, namespace: name },
    );
    onLoad({ filter: /^/, namespace: name }, ({ path: builtin }) => ({
      contents: Object.entries(require(builtin))
        .filter(([key, value]) => typeof value === 'function' && /^[a-z]/.test(key))
        .map(([key]) => `export const ${key} = (...given) => require('${builtin}').${key}(...given);`)
        .join('\n'),
    }));
  };
  return { name, setup };
}
