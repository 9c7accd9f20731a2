/**
 * A text as `npm run format` writes it to a file of that name.
 * @throws Error where the text cannot be read as what the name says.
 */
export function formatted(file: string, text: string): Promise<string>;
