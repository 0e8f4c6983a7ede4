/** A partner's id is shorter than the others; the id of a delivery contains a part of its endpoint's. */
const ID = /^([a-z]+)_(?:[0-9A-HJKMNP-TV-Z]{26}|[0-9A-HJKMNP-TV-Z]{16})(?:\.\w{1,40})?$/;

/** What an id of the service begins with, by its kind: `stl` of a settlement. None where the text has not the form of an id. */
export function prefixOfId(text: string): string | undefined {
  return ID.exec(text)?.[1];
}
