import type { Model, ModelEvent, ModelRequest } from '../core/index.js';

/**
 * Stands between the one who asks and a model: may change the request, the events, or answer itself.
 * `next` asks the model, as often as it is called.
 */
export type ModelMiddleware = (
  request: ModelRequest,
  next: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>,
  signal: AbortSignal,
) => AsyncIterable<ModelEvent>;

/** A model behind middleware; the first one is the outermost. The id stays. */
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
