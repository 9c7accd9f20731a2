import type { Model, ModelEvent, ModelRequest } from '../core/index.js';

/**
 * A function called between the caller and the model. It may change the request or the events, or reply
 * itself. `next` calls the model, and may be called any number of times.
 */
export type ModelMiddleware = (
  request: ModelRequest,
  next: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>,
  signal: AbortSignal,
) => AsyncIterable<ModelEvent>;

/** Wraps a model in middleware; the first one is outermost. The model ID does not change. */
export function wrapModel(model: Model, ...middleware: readonly ModelMiddleware[]): Model {
  return middleware.reduceRight<Model>(
    (inner, layer) => ({
      id: inner.id,
      generate: (request, signal) =>
        layer(request, (changed, inside) => inner.generate(changed, inside), signal),
    }),
    model,
  );
}
