import type {
  CallToolResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from "@modelcontextprotocol/client";
import type { ImageBlock, TextBlock } from "../../machines/conversation/entry.ts";
import { checkImage } from "../../tools/image.ts";
import { terminalText } from "../../tools/terminal-text.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { harmless } from "./definition.ts";

type Block = CallToolResult["content"][number];
type Resource = ReadResourceResult["contents"][number];
type Content = TextBlock | ImageBlock;

const text = (value: string): TextBlock => ({ type: "text", text: harmless(terminalText(value)) });

/** The result of a tool of a server. What the model can't get, such as audio, is named. */
export function toolResult({ content, structuredContent, isError }: CallToolResult): ToolResult {
  const blocks = content.map(contentOf);
  const structured =
    structuredContent !== undefined && blocks.length === 0 ? [text(JSON.stringify(structuredContent))] : [];
  return { content: [...blocks, ...structured], ...(isError === true && { failed: true }) };
}

/** The contents of a resource. */
export const resourceResult = ({ contents }: Pick<ReadResourceResult, "contents">): ToolResult => ({
  content: contents.map(resourceOf),
});

/** A block as the model gets it. */
export function contentOf(block: Block): Content {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return binary(block.data, "image", block.mimeType);
    case "audio":
      return binary(block.data, "audio", block.mimeType);
    case "resource":
      return resourceOf(block.resource);
    case "resource_link":
      return text(`[resource ${JSON.stringify(block.uri)}: ${block.title ?? block.name}]`);
  }
}

const resourceOf = (resource: Resource): Content =>
  "text" in resource
    ? text(resource.text)
    : binary(resource.blob, `resource ${JSON.stringify(resource.uri)}`, resource.mimeType);

/** An image by its first bytes, whatever its server says. */
function binary(data: string, what: string, mimeType: string | undefined): Content {
  const bytes = Buffer.from(data, "base64");
  const checked = checkImage(bytes);
  if (checked === undefined)
    return text(`[${what} of ${bytes.length} bytes, ${mimeType ?? "of no type"}: it can't be shown]`);
  return checked.ok ? checked.image : text(`[An image was left out: it is one ${checked.reason}.]`);
}

/** The resources of a server, and the templates of their URIs, one a line. */
export function resourceList(resources: readonly Named[], templates: readonly Template[]): ToolResult {
  const lines = [
    ...resources.map((each) => formatResource(each.uri, each)),
    ...templates.map((each) => formatResource(each.uriTemplate, each)),
  ];
  return { content: [text(lines.length === 0 ? "The server has no resources." : lines.join("\n"))] };
}

type Named = ListResourcesResult["resources"][number];
type Template = ListResourceTemplatesResult["resourceTemplates"][number];

const formatResource = (uri: string, { name, description }: Pick<Named, "name" | "description">): string =>
  `${uri}: ${[name, ...(description === undefined ? [] : [description])].join(". ")}`;
