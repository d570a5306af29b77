// Without imports: the page asks this before it loads the readers.

const beginsWith =
  (...magic: readonly number[]) =>
  (bytes: Uint8Array): boolean =>
    magic.every((byte, index) => bytes[index] === byte);

/** Whether these are the bytes, or the first four, of a zip file. */
export const isZip = beginsWith(0x50, 0x4b, 0x03, 0x04);

/** Whether these are the bytes, or the first four, of a Zstandard frame. */
export const isZstandard = beginsWith(0x28, 0xb5, 0x2f, 0xfd);
