import { isZip, isZstandard } from "../../trace/transcripts/compressed.ts";

/** The content of a file: text, or the bytes of a compressed file. */
export async function fileContent(file: Blob): Promise<string | Uint8Array> {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return isZip(start) || isZstandard(start) ? new Uint8Array(await file.arrayBuffer()) : file.text();
}
