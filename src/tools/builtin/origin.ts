/** What people see as the origin of tools that come with the product. */
export const BUILT_IN = 'built in';
