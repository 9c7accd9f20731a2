/** Loads a provider package of the AI SDK, or its mock models, by its name in this folder. */
export function load(name: string): Promise<object>;
