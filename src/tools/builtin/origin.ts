/** The origin that people see of tools that come with the product. */
export const BUILT_IN = 'built in';
