/** The content of a file: text, or the bytes of a compressed file. */
export async function fileContent(file: Blob): Promise<string | Uint8Array> {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const isCompressed = COMPRESSED.some((magic) => magic.every((byte, index) => start[index] === byte));
  return isCompressed ? new Uint8Array(await file.arrayBuffer()) : file.text();
}

/** The first bytes of a zip file and of a Zstandard frame. */
const COMPRESSED: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x28, 0xb5, 0x2f, 0xfd],
];
