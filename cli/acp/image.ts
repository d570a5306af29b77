import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { imageBlock } from "../../machines/conversation/blocks.ts";
import type { ImageBlock } from "../../machines/conversation/entry.ts";

/** The content block of an image. */
export const imageContent = ({ source: { media_type: mimeType, data } }: ImageBlock): ContentBlock => ({
  type: "image",
  mimeType,
  data,
});

/** The content blocks of the images of a message. */
export const imageContents = (dataUrls: readonly string[]): readonly ContentBlock[] =>
  dataUrls.flatMap((url) => {
    const image = imageBlock(url);
    return image === undefined ? [] : [imageContent(image)];
  });
