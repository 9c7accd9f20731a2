// The schema of OpenAPI 3.1, as its authors publish it, over a description.
import { Validator } from '@seriousme/openapi-schema-validator';

/** Says what is wrong with a description, and which of its references lead nowhere. */
export async function openApiFaults(description) {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(description)));
  if (!valid)
    return typeof errors === 'string'
      ? [errors]
      : errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
  return [];
}
