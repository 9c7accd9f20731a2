export type { DecodedLine, Sign } from './codec.js';
export {
  NO_PREVIOUS,
  chainOf,
  decodeLine,
  encodeLine,
  endsWithRecord,
  macIn,
  sealLine,
  signLine,
  sumText,
  unsealLine,
} from './codec.js';
export { documentPieces, listPieces } from './json-pieces.js';
export type { FormatStep } from './migrate.js';
export { FORMAT_STEPS, FORMAT_VERSION } from './migrate.js';
export { needsOf, needsWords } from './needs.js';
export { dueOf, newestFirst, restingStatus, statusOf, summaryOf, titleOf } from './summary.js';
