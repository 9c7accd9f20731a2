import { basename } from 'node:path';
import type { ChosenModel } from './choose-model.js';

/** A model's name. */
export interface ModelName {
  readonly spec: string;
  /** The server of the model, unless it is the provider's. */
  readonly server?: string;
}

/** Returns the name of the chosen model. */
export function nameOf({ spec, baseUrl }: ChosenModel): ModelName {
  return { spec, ...(baseUrl !== undefined && { server: baseUrl }) };
}

/** Returns a short name for a model on one line, with its server unless that is the provider's. */
export function modelWords({ spec, server }: ModelName): string {
  const at = server !== undefined && URL.canParse(server) ? ` at ${new URL(server).host}` : '';
  return `${wordsOf(spec)}${at}`;
}

function wordsOf(spec: string): string {
  const [kind = '', ...rest] = spec.split(':');
  const name = rest.join(':');
  switch (kind) {
    case 'demo':
      return 'demo model';
    case 'script':
    case 'replay':
      return `${kind} ${basename(name)}`;
    case 'anthropic':
      return name === '' ? spec : name;
    default:
      return spec;
  }
}
