import type { Model, ModelEvent, ModelRequest } from '../core/index.js';

/**
 * Sits between caller and model: may change the request or events, or answer itself. `next` calls the model, any
 * number of times.
 */
export type ModelMiddleware = (
  request: ModelRequest,
  next: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>,
  signal: AbortSignal,
) => AsyncIterable<ModelEvent>;

/** Wraps a model in middleware; the first one is outermost. The id does not change. */
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
