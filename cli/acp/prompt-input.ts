import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  type ContentBlock,
  type EmbeddedResourceResource,
  RequestError,
} from "@agentclientprotocol/sdk/unstable";
import { imageBlock } from "../../machines/conversation/blocks.ts";
import { escapeTag } from "../../machines/conversation/escape-tag.ts";
import type { RunCommand } from "../run/settings.ts";

/** The input that a prompt sends to the task. */
export interface PromptInput {
  readonly text: string;
  /** Data URLs. */
  readonly images: readonly string[];
  /** The mode that its slash command switches to. */
  readonly mode?: string;
}

/**
 * The input of a prompt. A link to a file of the workspace becomes a mention of it, which the task reads; an embedded
 * resource is added at the end.
 *
 * @param workspace absolute path
 * @param commands the slash commands: one of them may begin the prompt
 * @throws RequestError invalid params, for an empty prompt and for content that is not offered
 */
export async function promptInput(
  blocks: readonly ContentBlock[],
  workspace: string,
  commands: readonly RunCommand[],
): Promise<PromptInput> {
  const parts = blocks.map((block) => partOf(block, workspace));
  const command = await commandIn(parts[0]?.text ?? "", commands);
  const [first = "", ...others] = parts.map(({ text }) => text);
  const typed = [command?.text ?? first, ...others].join("");
  const text = [typed, ...parts.flatMap(({ attached = [] }) => attached)].filter((part) => part !== "");
  const images = parts.flatMap(({ image = [] }) => image);
  if (text.length === 0 && images.length === 0)
    throw RequestError.invalidParams({ prompt: "expected text or an image" }, "the prompt is empty");
  return {
    text: text.join("\n\n"),
    images,
    ...(command?.mode !== undefined && { mode: command.mode }),
  };
}

interface Part {
  /** The text in place of the block. */
  readonly text: string;
  /** The text that is added at the end. */
  readonly attached?: string;
  /** A data URL. */
  readonly image?: string;
}

function partOf(block: ContentBlock, workspace: string): Part {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "image":
      return { text: "", image: dataUrl(block.mimeType, block.data) };
    case "resource_link":
      return { text: linkText(block.name, block.uri, workspace) };
    case "resource":
      return resourcePart(block.resource);
    case "audio":
      throw RequestError.invalidParams({ prompt: "audio" }, "audio is not offered: send text");
  }
}

const dataUrl = (mimeType: string, data: string): string => `data:${mimeType};base64,${data}`;

/** A file of the workspace is mentioned; anything else is named with its address. */
function linkText(name: string, uri: string, workspace: string): string {
  const file = fileOf(uri);
  const relative = file === undefined ? undefined : path.relative(workspace, file.path);
  const isInside =
    relative !== undefined &&
    relative !== "" &&
    !relative.startsWith("..") &&
    !path.isAbsolute(relative) &&
    !/["\r\n]/.test(relative);
  return isInside ? `@"${relative}"${file?.fragment ?? ""}` : `[${name}](${uri})`;
}

/** The file of a `file:` URL. Its fragment, such as `#L10:20`, selects a part. */
function fileOf(uri: string): { readonly path: string; readonly fragment: string } | undefined {
  if (!URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  if (url.protocol !== "file:" || url.host !== "") return undefined;
  const fragment = url.hash === "" ? "" : ` (${url.hash.slice(1)})`;
  return { path: fileURLToPath(new URL(url.pathname, "file:")), fragment };
}

function resourcePart(resource: EmbeddedResourceResource): Part {
  const name = `[${resource.uri}]`;
  if ("text" in resource)
    return {
      text: name,
      attached: `<resource uri="${resource.uri.replaceAll('"', "%22")}">\n${escapeTag("resource", resource.text)}\n</resource>`,
    };
  const image = dataUrl(resource.mimeType ?? "", resource.blob);
  return imageBlock(image) === undefined
    ? { text: `${name} (a binary resource, which was not read)` }
    : { text: name, image };
}

/** The prompt of the slash command that the text begins with. */
async function commandIn(
  text: string,
  commands: readonly RunCommand[],
): Promise<{ readonly text: string; readonly mode?: string | undefined } | undefined> {
  const [, name, given = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const command = commands.find((each) => each.name === name);
  return command && { text: await command.expand(given), mode: command.mode };
}
