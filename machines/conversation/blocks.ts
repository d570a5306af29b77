import type { ImageBlock, ImageMediaType, TextBlock } from "./entry.ts";
import { userMessage } from "./notices.ts";

/** A block of text. The API refuses one that is empty or only white space. */
export const textBlock = (text: string): TextBlock => ({ type: "text", text });

/** What a person said, marked as theirs. */
export const userText = (text: string): TextBlock => textBlock(userMessage(text));

/** Whether the API would take `text` as a block: it has something to read in it. */
export const isBlank = (text: string): boolean => text.trim() === "";

const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/]+={0,2})$/;
const MEDIA_TYPES: ReadonlyMap<string, ImageMediaType> = new Map([
  ["image/png", "image/png"],
  ["image/jpeg", "image/jpeg"],
  ["image/jpg", "image/jpeg"],
  ["image/gif", "image/gif"],
  ["image/webp", "image/webp"],
]);

/** The image of a data URL (PNG, JPEG, GIF or WebP, in base64); `undefined` for anything else. */
export function imageBlock(dataUrl: string): ImageBlock | undefined {
  const [, type = "", data = ""] = DATA_URL.exec(dataUrl) ?? [];
  const mediaType = MEDIA_TYPES.get(type);
  return mediaType && { type: "image", source: { type: "base64", media_type: mediaType, data } };
}
