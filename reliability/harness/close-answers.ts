/**
 * The document with answers and webhooks that take no member beside those that they name. Published, they are open, since a client
 * passes over what it does not know; our own checks judge by this one, so that a member that nobody described is found.
 */
export function closeAnswers<Document>(document: Document): Document {
  const closed = structuredClone(document);
  close(closed);
  return closed;
}

/** What a partner sends stays as it is: the elements of a list may have more members. What a webhook sends is ours. */
function close(value: unknown, isWebhook = false): void {
  if (typeof value !== 'object' || value === null) return;
  const { type, properties } = value as Record<string, unknown>;
  if (type === 'object' && properties !== undefined) (value as Record<string, unknown>)['additionalProperties'] ??= false;
  for (const [name, item] of Object.entries(value)) {
    const isRequest = name === 'requestBody' && !isWebhook;
    if (!isRequest && name !== 'examples') close(item, isWebhook || name === 'webhooks');
  }
}
