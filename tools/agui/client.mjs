// The client of AG-UI, unmodified.
export { HttpAgent } from '@ag-ui/client';
