import type { Element, Nodes } from "hast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { toHast } from "mdast-util-to-hast";

/** A part of a text in Markdown: plain text, or an element of HTML. */
export type MarkdownNode = string | MarkdownElement;

/** An element with the attributes that the page shows. */
export interface MarkdownElement {
  readonly tag: string;
  /** The address of a link or an image. */
  readonly address?: string;
  /** The text in place of an image. */
  readonly alt?: string;
  /** The first number of a list. */
  readonly start?: number;
  readonly children: readonly MarkdownNode[];
}

/** The deepest nesting of lists, quotes and emphasis. */
const DEPTH_MAX = 50;

/**
 * The parts of a text in Markdown. HTML in it is plain text.
 *
 * @throws RangeError if the text is nested too deep
 */
export function parseMarkdown(text: string): readonly MarkdownNode[] {
  return partsOf([toHast(fromMarkdown(text), { allowDangerousHtml: true })], 0);
}

function partsOf(nodes: readonly Nodes[], depth: number): readonly MarkdownNode[] {
  if (depth > DEPTH_MAX) throw new RangeError(`This text is nested deeper than ${DEPTH_MAX} levels.`);
  return nodes.flatMap((node) => {
    if (node.type === "element") return [elementOf(node, depth)];
    if ("children" in node) return partsOf(node.children, depth + 1);
    return "value" in node ? [node.value] : [];
  });
}

function elementOf({ tagName, properties, children }: Element, depth: number): MarkdownElement {
  const { href, src, alt, start } = properties;
  const address = href ?? src;
  return {
    tag: tagName,
    ...(typeof address === "string" && { address }),
    ...(typeof alt === "string" && { alt }),
    ...(typeof start === "number" && { start }),
    children: partsOf(children, depth + 1),
  };
}
