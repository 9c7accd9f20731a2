// `node --import …/find-peers.mjs` lets the built program find the packages of this folder, as it finds those that a
// user installs beside it.
import { register } from 'node:module';

const packages = ['pg', '@electric-sql/pglite'];
const hook = `export function resolve(name, context, next) {
  const parentURL = ${JSON.stringify(packages)}.includes(name) ? ${JSON.stringify(import.meta.url)} : context.parentURL;
  return next(name, { ...context, parentURL });
}`;

register(`data:text/javascript,${encodeURIComponent(hook)}`);
