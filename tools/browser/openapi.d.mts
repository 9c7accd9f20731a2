/** Says what is wrong with a description, and which of its references lead nowhere. */
export function openApiFaults(description: object): Promise<readonly string[]>;
