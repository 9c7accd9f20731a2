export type { ReviewerChannelOptions, ReviewStop } from './channel.js';
export { createReviewerChannel } from './channel.js';
export type { ModelReviewerOptions } from './model-reviewer.js';
export { modelReviewer } from './model-reviewer.js';
export type { Evidence, ReviewRequest } from './request.js';
export type { FunctionReviewerOptions, Reviewed, Reviewer, ReviewFunction } from './reviewer.js';
export { failed, functionReviewer, isInForce, REVIEW_MS, reviewerOf, said } from './reviewer.js';
