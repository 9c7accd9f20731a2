export { PGlite } from '@electric-sql/pglite';
