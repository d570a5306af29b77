import type { ImageBlock, ImageMediaType, TextBlock } from "./entry.ts";
import { userMessage } from "./notices.ts";

/** Create a text block. The API rejects an empty or blank text. */
export const textBlock = (text: string): TextBlock => ({ type: "text", text });

/** Create a text block of the user's text, marked as such. */
export const userText = (text: string): TextBlock => textBlock(userMessage(text));

/** Whether `text` is empty or only white space, which the API rejects. */
export const isBlank = (text: string): boolean => text.trim() === "";

const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/]+={0,2})$/;
const MEDIA_TYPES: ReadonlyMap<string, ImageMediaType> = new Map([
  ["image/png", "image/png"],
  ["image/jpeg", "image/jpeg"],
  ["image/jpg", "image/jpeg"],
  ["image/gif", "image/gif"],
  ["image/webp", "image/webp"],
]);

/** Create an image block from a data URL (PNG, JPEG, GIF or WebP, in base64); `undefined` for anything else. */
export function imageBlock(dataUrl: string): ImageBlock | undefined {
  const [, type = "", data = ""] = DATA_URL.exec(dataUrl) ?? [];
  const mediaType = MEDIA_TYPES.get(type);
  return mediaType && { type: "image", source: { type: "base64", media_type: mediaType, data } };
}
