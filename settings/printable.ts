/** Maximum characters of a name in a message. */
const NAME_MAX_CHARS = 100;

/** A name of a file that others may have written, for a message: quoted unless it is plain, without control characters. */
export function printableName(name: string): string {
  const cut = name.length > NAME_MAX_CHARS ? `${name.slice(0, NAME_MAX_CHARS)}...` : name;
  const text = cut.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return /^[\w-]+$/.test(text) ? text : `'${text}'`;
}
