import type { MarkedToken, Token } from "marked";
import type { Style } from "../../show/style.ts";

/** The text of a block, with what is emphasised in it. What has no form on a terminal stands as it was written. */
export function inline(tokens: readonly Token[] | undefined, style: Style): string {
  return (tokens ?? []).map((token) => piece(token, style)).join("");
}

function piece(token: Token, style: Style): string {
  if (!isKnown(token)) return token.raw;
  switch (token.type) {
    case "strong":
      return style.bold(inline(token.tokens, style));
    case "em":
      return style.yellow(inline(token.tokens, style));
    case "codespan":
      return style.cyan(token.text);
    case "del":
      return style.dim(inline(token.tokens, style));
    case "link": {
      const text = inline(token.tokens, style);
      return token.text === token.href ? text : `${text} ${style.dim(`(${token.href})`)}`;
    }
    case "image":
      return `${token.text} ${style.dim(`(${token.href})`)}`;
    case "br":
      return "\n";
    case "escape":
      return token.text;
    case "checkbox":
      return token.checked ? "[x] " : "[ ] ";
    case "text":
      return token.tokens === undefined ? token.text : inline(token.tokens, style);
    default:
      return token.raw;
  }
}

const KNOWN: Readonly<Record<MarkedToken["type"], true>> = {
  blockquote: true,
  br: true,
  checkbox: true,
  code: true,
  codespan: true,
  def: true,
  del: true,
  em: true,
  escape: true,
  heading: true,
  hr: true,
  html: true,
  image: true,
  link: true,
  list: true,
  list_item: true,
  paragraph: true,
  space: true,
  strong: true,
  table: true,
  text: true,
};

/** Whether the token is one of the lexer's own, and none of an extension. */
export const isKnown = (token: Token): token is MarkedToken => Object.hasOwn(KNOWN, token.type);
