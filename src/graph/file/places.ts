import { placeText } from '../../core/index.js';
import type { FilePath, PlacedProblem } from './file-problem.js';

/** Finds the line and column of each value and key in a file. */
export class Places {
  readonly #text: string;
  readonly #values = new Map<string, number>();
  readonly #keys = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  value(path: FilePath, offset: number): void {
    this.#values.set(JSON.stringify(path), offset);
  }

  key(path: FilePath, offset: number): void {
    this.#keys.set(JSON.stringify(path), offset);
  }

  /** Locates a problem at a value, or at the nearest enclosing value that is in the file. */
  place(path: FilePath, message: string): PlacedProblem {
    return { ...this.#lineAndColumn(this.#offset(path)), path: placeText(path), message };
  }

  /** Locates a problem at an unknown key. */
  placeKey(path: FilePath, message: string): PlacedProblem {
    const offset = this.#keys.get(JSON.stringify(path)) ?? this.#offset(path);
    return { ...this.#lineAndColumn(offset), path: placeText(path.slice(0, -1)), message };
  }

  at(offset: number, message: string): PlacedProblem {
    return { ...this.#lineAndColumn(offset), path: '', message };
  }

  #offset(path: FilePath): number {
    for (let length = path.length; length > 0; length -= 1) {
      const found = this.#values.get(JSON.stringify(path.slice(0, length)));
      if (found !== undefined) return found;
    }
    return this.#values.get('[]') ?? 0;
  }

  /** Counts columns in characters, as editors do. */
  #lineAndColumn(offset: number): { readonly line: number; readonly column: number } {
    const before = this.#text.slice(0, offset);
    const start = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
    return {
      line: before.split(/\r\n|\r|\n/u).length,
      column: Array.from(before.slice(start)).length + 1,
    };
  }
}
