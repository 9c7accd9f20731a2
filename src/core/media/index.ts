export type { MediaKind } from './media-kind.js';
export { MEDIA_START, mediaKind } from './media-kind.js';
export { mediaProblem } from './media-limits.js';
export {
  extentWords,
  kindOfMedia,
  kindWords,
  mediaOf,
  mediaPart,
  mediaWords,
  sizeWords,
} from './media-part.js';
