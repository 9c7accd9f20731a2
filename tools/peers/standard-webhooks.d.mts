/** The verifying side of Standard Webhooks, by its own package; declared here, because that is not installed with a clone. */
export declare class Webhook {
  constructor(secret: string);
  /** @throws where the body is not what was signed. */
  verify(body: string, headers: Readonly<Record<string, string>>): unknown;
}
