import { crc32 } from "node:zlib";
import { imageSize } from "image-size";
import type { ImageBlock, ImageMediaType } from "../machines/conversation/entry.ts";

/** Bytes of an image that endpoints accept: 5 MB in base64. */
const IMAGE_MAX_BYTES = 3_750_000;
/** Pixels of a side of an image that endpoints accept. */
const IMAGE_MAX_SIDE = 8_000;

/** An image as the model gets it, or why no endpoint takes it. */
export type CheckedImage =
  | { readonly ok: true; readonly image: ImageBlock }
  | { readonly ok: false; readonly code: "TOO_LARGE" | "BINARY"; readonly reason: string };

/**
 * Checks an image before it becomes part of a conversation: each later request would be refused for it. The type is
 * read from its bytes, the size from its header. Undefined for bytes that are no PNG, JPEG, GIF or WebP.
 */
export function checkImage(bytes: Uint8Array, maxBytes = IMAGE_MAX_BYTES): CheckedImage | undefined {
  const media = imageType(bytes);
  if (media === undefined) return undefined;
  if (bytes.length > maxBytes)
    return tooLarge(`of ${bytes.length} bytes: at most ${maxBytes} can be shown. Make it smaller first`);
  const size = sizeOf(bytes);
  if (size === undefined || !isWhole(bytes, media))
    return { ok: false, code: "BINARY", reason: `that is damaged (${media}): expected a whole one` };
  const { width, height } = size;
  if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE)
    return tooLarge(
      `of ${width} x ${height} pixels: at most ${IMAGE_MAX_SIDE} a side can be shown. Make it smaller first`,
    );
  const data = Buffer.from(bytes).toString("base64");
  return { ok: true, image: { type: "image", source: { type: "base64", media_type: media, data } } };
}

const tooLarge = (reason: string): CheckedImage => ({ ok: false, code: "TOO_LARGE", reason });

/** Detect the type by the first bytes: the endpoint rejects an image with a wrong media type. */
function imageType(bytes: Uint8Array): ImageMediaType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  return undefined;
}

/** Width and height in pixels; undefined where the header has none. */
function sizeOf(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  try {
    const { width, height } = imageSize(bytes);
    return width > 0 && height > 0 ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an image has its end, and a PNG sound chunks of the kinds that every decoder needs. */
function isWhole(bytes: Uint8Array, media: ImageMediaType): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (media) {
    case "image/png":
      return hasWholeChunks(buffer);
    case "image/jpeg":
      return hasWholeScan(buffer);
    case "image/gif":
      return buffer.subarray(-GIF_TAIL).includes(0x3b);
    case "image/webp":
      return buffer.length >= 12 && buffer.readUInt32LE(4) + 8 <= buffer.length;
  }
}

/** Bytes at the end of a GIF that have its trailer; some writers add padding. */
const GIF_TAIL = 16;

/** Whether the last scan of a JPEG has its end. A preview before it has an end of its own. */
function hasWholeScan(jpeg: Buffer): boolean {
  const scan = jpeg.lastIndexOf(Buffer.of(0xff, 0xda));
  return scan > 0 && jpeg.indexOf(Buffer.of(0xff, 0xd9), scan) > 0;
}

/** Bytes of a chunk of a PNG besides its data: length, type and checksum. */
const CHUNK_FRAME = 12;

function hasWholeChunks(png: Buffer): boolean {
  let hasData = false;
  for (let at = 8; at + CHUNK_FRAME <= png.length; ) {
    const length = png.readUInt32BE(at);
    const end = at + CHUNK_FRAME + length;
    if (end > png.length) return false;
    const type = png.toString("latin1", at + 4, at + 8);
    const isSound = crc32(png.subarray(at + 4, end - 4)) === png.readUInt32BE(end - 4);
    // Decoders leave out a damaged chunk whose name begins with a small letter.
    if (!isSound && /^[A-Z]/.test(type)) return false;
    hasData ||= type === "IDAT";
    if (type === "IEND") return hasData;
    at = end;
  }
  return false;
}
