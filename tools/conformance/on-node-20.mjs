// The scenarios import `globSync`, which Node has from 22 on and which none of those that are run here calls.
import { register } from 'node:module';

const hooks = `
const WITH_GLOB = 'data:text/javascript,' + encodeURIComponent("export * from 'node:fs'; export const globSync = () => []");
export const resolve = (specifier, context, next) =>
  specifier === 'fs' && context.parentURL?.includes('/conformance/dist/')
    ? { url: WITH_GLOB, shortCircuit: true }
    : next(specifier, context);
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
